/// Limits of what is remembered of a context's past. The documentation quotes this file.
public enum FigureLimits {
    /// Minutes that can be asked for: 30 days.
    public static let minutes = 1...43_200
    /// Days of which it is known how many people there were.
    public static let days = 31
    /// People who may be found that one page lists.
    public static let listedUsers = 200
    /// Lines of a context's log that are kept, in memory.
    public static let logLines = 1_000
    /// Lines that somebody who begins to look is shown.
    public static let firstLogLines = 200
    /// Notifications of a context that are remembered, in memory.
    public static let pushes = 200
}

/// How finely the past is remembered: the older, the coarser.
enum FigureStep: UInt8, CaseIterable, Sendable {
    case minute = 1
    case tenMinutes = 2
    case hour = 3

    /// Milliseconds of one step.
    var length: Int64 {
        switch self {
        case .minute: 60_000
        case .tenMinutes: 600_000
        case .hour: 3_600_000
        }
    }

    /// Milliseconds that steps of this length are kept: a day, a week, 30 days.
    var kept: Int64 {
        switch self {
        case .minute: 24 * 3_600_000
        case .tenMinutes: 7 * 24 * 3_600_000
        case .hour: 30 * 24 * 3_600_000
        }
    }

    /// The beginning of the step in which a moment lies.
    func start(of time: Int64) -> Int64 { time - (time % length + length) % length }
}
