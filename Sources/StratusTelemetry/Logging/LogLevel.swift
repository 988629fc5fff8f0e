/// How grave a log line is.
public enum LogLevel: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// For the developer who follows one request.
    case debug
    /// What the operator wants to know on a good day.
    case info
    /// Something is wrong and was coped with.
    case warning
    /// Something failed that should not.
    case error

    /// The level's name, as it stands in the log and in options.
    public var name: String {
        switch self {
        case .debug: "debug"
        case .info: "info"
        case .warning: "warning"
        case .error: "error"
        }
    }

    /// The level of that name, or nil.
    public init?(name: String) {
        guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = level
    }

    /// Less grave comes first.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
