import Glibc

/// The monotonic clock.
enum Clock {
    /// Nanoseconds since some fixed time.
    static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// CPU seconds that this process has used.
    static func processSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Seconds since `start`.
    static func seconds(since start: UInt64) -> Double { Double(now() - start) / 1e9 }
}
