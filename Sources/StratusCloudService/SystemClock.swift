import Glibc

/// The machine's clock.
public enum SystemClock {
    /// Milliseconds since 1970-01-01 UTC.
    @Sendable public static func milliseconds() -> Int64 { read(CLOCK_REALTIME) }

    /// Milliseconds since some moment; never set back or forward.
    @Sendable public static func uptime() -> Int64 { read(CLOCK_MONOTONIC) }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
