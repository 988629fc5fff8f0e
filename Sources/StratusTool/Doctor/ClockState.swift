/// What can be told of the machine's clock.
struct ClockState {
    /// Seconds that a file may be younger than now.
    static let tolerance: Int64 = 60
    /// 2026-01-01 UTC: a clock before that was not set.
    static let earliestNow: Int64 = 1_767_225_600

    /// A file, and when it was changed, in seconds since 1970.
    struct File {
        var path: String
        var time: Int64
    }

    /// Seconds since 1970.
    var now: Int64
    /// What was written last; nil if there is nothing.
    var newest: File?
    /// Whether something keeps the clock right: 1 or 0, or -1 where the system does not say.
    var synchronization: Int32

    /// What there is to say of it.
    var judgement: (DoctorReport.Status, String) {
        let text = "it is \(TimeText.utc(milliseconds: now * 1_000))"
        guard now >= Self.earliestNow else { return (.failed, text + ": the clock was never set") }
        if let newest, newest.time > now + Self.tolerance {
            return (
                .failed,
                "\(newest.path) is from \(TimeText.utc(milliseconds: newest.time * 1_000)), which is in the "
                    + "future: the "
                    + "clock was set back, or was wrong before"
            )
        }
        return switch synchronization {
        case 1: (.ok, text + ", and the clock is synchronized")
        case 0: (.warning, text + "; the clock is not synchronized: run an NTP client")
        default: (.ok, text)
        }
    }
}
