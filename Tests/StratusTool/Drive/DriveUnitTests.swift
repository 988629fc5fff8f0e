import Foundation
import Testing

@testable import StratusTool

/// The systemd unit that `stratus drive install` writes.
@Suite struct DriveUnitTests {
    private func unit(_ executable: String, _ environment: [String: String] = [:]) -> DriveUnit {
        DriveUnit(
            container: "iCloud.org.example.notes", executable: executable, options: ["--placeholders"],
            environment: environment)
    }

    @Test func wordsReachTheProgramAsTheyAre() {
        let text = unit(
            "/opt/a b/100%/$x/\"q\"\\/ä",
            [
                "XDG_DATA_HOME": "/home/a b/100%/$x", "STRATUS_PROFILE": "work", "STRATUS_URL": "",
                "STRATUS_WEB_AUTH_TOKEN": "secret", "STRATUS_API_TOKEN": "secret", "OTHER": "x",
            ]
        ).text
        #expect(
            text.contains(
                #"ExecStart="/opt/a b/100%%/$x/\"q\"\\/\xc3\xa4" "drive" "run" "--container" "iCloud.org.example.notes" "#
                    + "\"--placeholders\"\n"))
        #expect(text.contains("Environment=\"XDG_DATA_HOME=/home/a b/100%%/$x\"\n"))
        #expect(text.contains("Environment=\"STRATUS_PROFILE=work\"\n"))
        #expect(!text.contains("secret") && !text.contains("STRATUS_URL") && !text.contains("OTHER"))
    }

    @Test func profilesHaveUnitsOfTheirOwn() {
        #expect(unit("/x").name == "stratus-drive@iCloud.org.example.notes.service")
        let other = unit("/x", ["STRATUS_PROFILE": "work"])
        #expect(other.name == "stratus-drive@iCloud.org.example.notes:work.service")
        let similar = DriveUnit(
            container: "iCloud.org.example.notes-work", executable: "/x", options: [], environment: [:])
        #expect(similar.name == "stratus-drive@iCloud.org.example.notes-work.service")
        let colon = DriveUnit(container: "a:b", executable: "/x", options: [], environment: [:])
        #expect(colon.name == #"stratus-drive@a\x3ab.service"#)
        let odd = DriveUnit(container: "iCloud.a b%/..", executable: "/x", options: [], environment: [:])
        #expect(odd.name == #"stratus-drive@iCloud.a\x20b\x25\x2f...service"#)
    }

    @Test func aUnitWithTheFormerNameIsKnownByItsContents() {
        let (work, home) = (unit("/x", ["STRATUS_PROFILE": "work"]), unit("/x", ["STRATUS_PROFILE": "home"]))
        #expect(work.formerName == "stratus-drive@iCloud.org.example.notes-work.service")
        #expect(unit("/x").formerName == nil && !unit("/x").isSame(as: unit("/x").text))
        #expect(work.isSame(as: unit("/former/path", ["STRATUS_PROFILE": "work"]).text))
        let other = DriveUnit(
            container: "iCloud.org.example.notes-work", executable: "/x", options: [], environment: [:])
        for text in [home.text, other.text, ""] { #expect(!work.isSame(as: text)) }
    }

    private static let analyzer = "/usr/bin/systemd-analyze"

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: analyzer)))
    func systemdTakesTheUnit() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "stratus unit 100% $x-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // systemd looks for the program that the unit starts.
        let program = folder.appending(path: "stratus")
        try Data("#!/bin/sh\n".utf8).write(to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
        for (name, path, isRight) in [("right", program.path, true), ("wrong", program.path + "?", false)] {
            let file = folder.appending(path: "stratus-\(name).service")
            try Data(unit(path, ["XDG_DATA_HOME": "/a b/100%"]).text.utf8).write(to: file)
            let process = Process()
            process.executableURL = URL(filePath: Self.analyzer)
            process.arguments = ["verify", "--user", file.path]
            process.environment = ["HOME": folder.path, "PATH": "/usr/bin:/bin", "XDG_RUNTIME_DIR": folder.path]
            let errors = Pipe()
            process.standardError = errors
            try process.run()
            let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            let complaints = text.split(separator: "\n").filter { $0.contains("stratus-\(name).service") }
            #expect(complaints.isEmpty == isRight, "\(text)")
        }
    }
}
