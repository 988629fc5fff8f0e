import Foundation
import StratusSeeds
import Testing

@testable import StratusTelemetry

@Suite struct LogLineTests {
    private func object(_ line: LogLine) throws -> [String: Any] {
        #expect(line.bytes.count { $0 == 0x0A } == 1)
        #expect(line.bytes.last == 0x0A)
        return try #require(JSONSerialization.jsonObject(with: Data(line.bytes)) as? [String: Any])
    }

    @Test func timeLevelMessageThenFieldsInOrder() {
        let line = LogLine(
            time: LogTime(milliseconds: 1_769_903_999_007), level: .warning, message: "slow",
            fields: [["route": "records/query"], ["status": 200, "seconds": 0.25, "cached": false]])
        #expect(
            String(decoding: line.bytes, as: UTF8.self) == """
                {"time":"2026-01-31T23:59:59.007Z","level":"warning","message":"slow","route":"records/query",\
                "status":200,"seconds":0.25,"cached":false}

                """)
    }

    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"), (-1_000, "1969-12-31T23:59:59.000Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        (253_402_300_800_000, "10000-01-01T00:00:00.000Z"),
    ])
    func times(milliseconds: Int64, text: String) {
        var bytes: [UInt8] = []
        LogTime(milliseconds: milliseconds).append(to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == text)
    }

    @Test func anyTextComesBackFromOneLine() throws {
        let seed = Seed.draw()
        var state = seed
        func next(_ bound: UInt32) -> UInt32 {
            state = state &* 6_364_136_223_846_793_005 &+ 1
            return UInt32(truncatingIfNeeded: state >> 33) % bound
        }
        let ranges: [UInt32] = [0x30, 0x100, 0x3000, 0x11_0000]
        for _ in 0..<500 {
            let scalars = (0..<next(40)).compactMap { _ in Unicode.Scalar(next(ranges[Int(next(4))])) }
            let text = String(String.UnicodeScalarView(scalars))
            var fields: LogFields = [:]
            fields.append("f" + text, text)
            let line = LogLine(time: LogTime(milliseconds: 0), level: .info, message: text, fields: [fields])
            let object = try object(line)
            #expect((object["message"] as? String)?.unicodeScalars.elementsEqual(scalars) == true, "seed \(seed)")
            #expect(object.values.contains { ($0 as? String) == text }, "seed \(seed)")
            #expect(!line.bytes.dropLast().contains { $0 < 0x20 || $0 == 0x7F }, "seed \(seed)")
        }
    }

    @Test func terminalControlsAreEscaped() {
        let line = LogLine(
            time: LogTime(milliseconds: 0), level: .info, message: "\u{1B}[2J\u{9B}\u{7F}\u{2028}\r\n\"\\")
        let text = String(decoding: line.bytes, as: UTF8.self)
        #expect(text.contains(#""message":"\u001b[2J\u009b\u007f\u2028\u000d\n\"\\""#))
    }

    @Test func numbersThatJSONLacksAreStrings() throws {
        let line = LogLine(
            time: LogTime(milliseconds: 0), level: .info, message: "",
            fields: [["a": .double(.nan), "b": .double(-.infinity), "c": .integer(.min), "d": .double(1e300)]])
        let object = try object(line)
        #expect(object["a"] as? String == "nan")
        #expect(object["b"] as? String == "-inf")
        #expect(object["c"] as? Int64 == .min)
        #expect(object["d"] as? Double == 1e300)
    }

    @Test func longTextsAndManyFieldsAreCut() throws {
        var fields: LogFields = [:]
        for index in 0..<1_000 { fields.append("f\(index)", index) }
        let long = String(repeating: "é", count: TelemetryLimits.logText)
        let line = LogLine(time: LogTime(milliseconds: 0), level: .info, message: long, fields: [fields])
        let object = try object(line)
        #expect(object.count == 3 + TelemetryLimits.logFields)
        let message = try #require(object["message"] as? String)
        #expect(message.utf8.count <= TelemetryLimits.logText + 4)
        #expect(message.hasSuffix("é…"))
    }
}
