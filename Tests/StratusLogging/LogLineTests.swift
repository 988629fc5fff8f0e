import Foundation
import Testing

@testable import StratusLogging

@Suite struct LogLineTests {
    private func text(_ message: OSLogMessage) -> String { message.text }

    @Test func valuesAndTheirForms() {
        let name: String? = "Ada"
        #expect(text("plain") == "plain")
        #expect(text("a \(1) \(2.5) \(name ?? "") \(true) \([1])") == "a 1 2.5 Ada true [1]")
        #expect(text("\(255, format: .hex) \(255, format: .hex(includePrefix: true, uppercase: true))") == "ff 0xFF")
        #expect(text("\(-5, format: .decimal(minDigits: 3)) \(8, format: .octal)") == "-005 10")
        #expect(text("\(1.005, format: .fixed(precision: 1)) \(3, align: .right(columns: 3))|") == "1.0   3|")
        #expect(text("\(true, format: .answer) \(false, format: .truth)") == "YES false")
    }

    @Test func whatIsPrivateIsNotWritten() {
        let secret = "s3cret"
        #expect(text("\(secret, privacy: .private) \(secret, privacy: .sensitive)") == "<private> <private>")
        #expect(text("\(secret, privacy: .public) \(secret)") == "s3cret s3cret")
        let masked = text("\(secret, privacy: .private(mask: .hash))")
        #expect(!masked.contains(secret) && masked == text("\(secret, privacy: .sensitive(mask: .hash))"))
    }

    @Test(arguments: [
        ("none", "none"), ("%d of %ld", "3 of 3"), ("%{public}@", "3"), ("%{private}@|", "<private>|"),
        ("%05.1f", "3"), ("100%% %@", "100% 3"), ("%", "%"), ("%{public", "%{public"), ("%d%d%d", "33%d"), ("%s", "3"),
    ])
    func cFormats(_ format: String, _ expected: String) {
        #expect(CFormat(format).text(with: [3, 3]) == expected)
    }

    @Test func numbersOfCFormats() {
        #expect(CFormat("%.2f %x %03d %u").text(with: [1.5, 255, 7, UInt(8)]) == "1.50 ff 007 8")
        #expect(CFormat("%@ %@").text(with: ["a", "4" as NSString]) == "a 4")
    }

    @Test func aLineIsOneLine() {
        let log = OSLog(subsystem: "org.example", category: "sync")
        let line = LogOutput.line("a\nb\r", .error, log, at: Date(timeIntervalSince1970: 0))
        #expect(line == #"1970-01-01T00:00:00.000Z error [org.example:sync] a\nb\r"#)
        #expect(LogOutput.line("a", .default, .default, at: Date(timeIntervalSince1970: 0)).hasSuffix("Z notice a"))
        #expect(!OSLog.disabled.isEnabled(type: .fault) && log.isEnabled(type: .error))
    }
}
