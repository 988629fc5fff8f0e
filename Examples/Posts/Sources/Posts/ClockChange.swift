import Foundation

/// A change of a time zone's offset from UTC.
struct ClockChange {
    /// The day on which the clocks change, in the form 2018-05-05.
    let day: String
    /// The seconds that clocks are ahead of UTC before the change.
    let formerOffset: Int
    /// The seconds that clocks are ahead of UTC from then on.
    let offset: Int

    /// Reads the changes from 1970 until now of a zone's file, which has the format of RFC 9636.
    static func read(_ file: Data) throws -> [ClockChange] {
        var reader = FileReader(rest: file)
        // A file has all its contents twice. The first part is for programs that know only 32 bits.
        _ = try reader.transitions(bytesOfTime: 4)
        let transitions = try reader.transitions(bytesOfTime: 8)
        let past = transitions.filter { $0.time <= Int64(Date().timeIntervalSince1970) }
        return zip(past, past.dropFirst()).compactMap { former, transition in
            guard transition.time >= 0, transition.offset != former.offset else { return nil }
            let local = Date(timeIntervalSince1970: TimeInterval(transition.time + Int64(transition.offset)))
            return ClockChange(
                day: local.formatted(.iso8601.year().month().day()), formerOffset: former.offset,
                offset: transition.offset)
        }
    }

    /// Returns an offset as `UTC+09:00`.
    static func text(_ offset: Int) -> String {
        let minutes = abs(offset) / 60
        return String(format: "UTC\(offset < 0 ? "-" : "+")%02d:%02d", minutes / 60, minutes % 60)
    }
}

/// Reads the numbers of a file, the most significant byte of each one first.
private struct FileReader {
    var rest: Data

    mutating func bytes(_ count: Int) throws -> Data {
        guard rest.count >= count else { throw CocoaError(.fileReadCorruptFile) }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func integer(_ bytes: Int) throws -> Int64 {
        let pattern = try self.bytes(bytes).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return bytes == 4 ? Int64(Int32(truncatingIfNeeded: pattern)) : Int64(bitPattern: pattern)
    }

    mutating func count() throws -> Int {
        guard let count = Int(exactly: try integer(4)), count >= 0 else { throw CocoaError(.fileReadCorruptFile) }
        return count
    }

    /// Reads one of the two parts of a file.
    mutating func transitions(bytesOfTime: Int) throws -> [(time: Int64, offset: Int)] {
        guard try bytes(4) == Data("TZif".utf8) else { throw CocoaError(.fileReadCorruptFile) }
        _ = try bytes(16)
        let (utcMarks, standardMarks, leapSeconds) = (try count(), try count(), try count())
        let (transitions, types, characters) = (try count(), try count(), try count())
        let times = try (0..<transitions).map { _ in try integer(bytesOfTime) }
        let typesOfTimes = try (0..<transitions).map { _ in Int(try integer(1)) }
        let offsets = try (0..<types).map { _ in
            defer { rest = rest.dropFirst(2) }
            return Int(try integer(4))
        }
        _ = try bytes(characters + leapSeconds * (bytesOfTime + 4) + standardMarks + utcMarks)
        guard typesOfTimes.allSatisfy(offsets.indices.contains) else { throw CocoaError(.fileReadCorruptFile) }
        return zip(times, typesOfTimes).map { ($0, offsets[$1]) }
    }
}
