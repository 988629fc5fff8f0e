/// Limits of stored statistics. The documentation quotes this file.
public enum FigureLimits {
    /// Minutes that can be asked for: 30 days.
    public static let minutes = 1...43_200
    /// Days for which active users are stored.
    public static let days = 31
    /// Discoverable users in one page.
    public static let listedUsers = 200
    /// Lines of a context's log that are kept, in memory.
    public static let logLines = 1_000
    /// Lines that are shown first without a range of time.
    public static let firstLogLines = 200
    /// Notifications of a context that are kept, in memory.
    public static let pushes = 200
}

/// The steps of stored statistics. Older statistics are kept in longer steps.
enum FigureStep: UInt8, CaseIterable, Sendable {
    case minute = 1
    case tenMinutes = 2
    case hour = 3

    /// The length of a step in milliseconds.
    var length: Int64 {
        switch self {
        case .minute: 60_000
        case .tenMinutes: 600_000
        case .hour: 3_600_000
        }
    }

    /// How long steps of this length are kept, in milliseconds.
    var kept: Int64 {
        switch self {
        case .minute: 24 * 3_600_000
        case .tenMinutes: 7 * 24 * 3_600_000
        case .hour: 30 * 24 * 3_600_000
        }
    }

    /// Returns the beginning of the step that contains a moment.
    func start(of time: Int64) -> Int64 { time - (time % length + length) % length }
}
