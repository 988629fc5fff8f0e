import StratusCloudModel

/// The lines of a log that a developer wants to see.
struct ConsoleLogFilter: Sendable {
    let operation: String?
    /// A status, or a class of them: `404`, `4xx`.
    let status: String?
    let level: String?
    let time: ConsoleLogRange

    /// - Throws: `badRequest` for a level or status that does not exist.
    init(operation: String?, status: String?, level: String?, time: ConsoleLogRange) throws(CloudError) {
        if let level, !["info", "warning", "error"].contains(level) {
            throw CloudError(.badRequest, "level must be info, warning or error")
        }
        if let status {
            let digits = Array(status.utf8)
            guard digits.count == 3, (UInt8(ascii: "1")...UInt8(ascii: "5")).contains(digits[0]),
                status.hasSuffix("xx") || Int(status) != nil
            else { throw CloudError(.badRequest, "status must be a number such as 404, or a class such as 4xx") }
        }
        self.operation = operation
        self.status = status
        self.level = level
        self.time = time
    }

    func shows(_ line: ConsoleLogLine) -> Bool {
        guard time.contains(line.time) else { return false }
        if let operation, line.operation != operation { return false }
        if let level, line.level != level { return false }
        guard let status else { return true }
        return status.hasSuffix("xx")
            ? line.status / 100 == Int(status.prefix(1)) : line.status == Int(status)
    }
}

/// A range of time, in milliseconds since 1970-01-01 UTC. Both ends belong to it, and each may be missing.
struct ConsoleLogRange: Sendable {
    private let from: Int64?
    private let to: Int64?

    /// - Throws: `badRequest` for a text that is no time, and for an end before the beginning.
    init(from: String?, to: String?) throws(CloudError) {
        self.from = try Self.time(from, "from")
        self.to = try Self.time(to, "to")
        if let from = self.from, let to = self.to, to < from {
            throw CloudError(.badRequest, "to must not be before from")
        }
    }

    var isUnlimited: Bool { from == nil && to == nil }

    func contains(_ time: Int64) -> Bool { time >= from ?? .min && time <= to ?? .max }

    /// Whether nothing that happens after `time` belongs to it.
    func isOver(at time: Int64) -> Bool { to.map { $0 < time } ?? false }

    private static func time(_ text: String?, _ name: String) throws(CloudError) -> Int64? {
        guard let text else { return nil }
        guard let time = Int64(text), time >= 0 else {
            throw CloudError(.badRequest, "\(name) must be a time in milliseconds since 1970")
        }
        return time
    }
}
