import Glibc

/// The machine's clock.
public enum SystemClock {
    /// Milliseconds since 1970-01-01 UTC.
    @Sendable public static func milliseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
