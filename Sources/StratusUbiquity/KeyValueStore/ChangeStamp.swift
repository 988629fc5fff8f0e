import Foundation
import Glibc
import StratusCloudModel

/// The time of a change by the clocks of a device.
///
/// A device's date may be wrong by years, so what counts is how long ago a change was made when it is sent: the server
/// subtracts that from its own time. As long as the machine is not restarted, it is measured by the time since its
/// start, which nobody sets.
package struct ChangeStamp: Codable, Hashable, Sendable {
    /// Milliseconds since 1970 by the machine's clock.
    package var date: Int64
    /// Milliseconds since the machine's start, of which its sleep is a part.
    package var uptime: Int64
    /// Names the start.
    package var start: String

    package init(date: Int64, uptime: Int64, start: String) {
        self.date = date
        self.uptime = uptime
        self.start = start
    }

    /// Milliseconds from here to a later stamp of the same machine.
    ///
    /// After a restart it is the difference of the dates, and at least the time since the start.
    package func age(at now: ChangeStamp) -> Int64 {
        let age = isOfSameRun(as: now) ? now.uptime - uptime : max(now.date.subtracting(date), now.uptime)
        return min(max(age, 0), KeyValueFormat.longestAge)
    }

    /// Whether the change was made after another one of the same machine, which was made in the machine's present run.
    func isLater(than other: ChangeStamp) -> Bool { start == other.start && uptime > other.uptime }

    private func isOfSameRun(as later: ChangeStamp) -> Bool { start == later.start && uptime <= later.uptime }
}

extension Int64 {
    /// The difference, or the nearest number where it does not fit: dates come from files.
    fileprivate func subtracting(_ other: Int64) -> Int64 {
        let (difference, overflows) = subtractingReportingOverflow(other)
        return overflows ? (self < other ? .min : .max) : difference
    }
}

/// Makes the stamps of changes.
package struct ChangeClock: Sendable {
    package var now: @Sendable () -> ChangeStamp

    package init(now: @escaping @Sendable () -> ChangeStamp) { self.now = now }

    /// The machine's.
    package static let system: ChangeClock = {
        let start = (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)) ?? ""
        return ChangeClock {
            ChangeStamp(
                date: milliseconds(CLOCK_REALTIME), uptime: milliseconds(CLOCK_BOOTTIME),
                start: start.trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }()

    private static func milliseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
