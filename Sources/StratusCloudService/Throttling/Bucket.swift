/// How much of a rate is left, as one time (the generic cell rate algorithm): when whoever it is for would have been idle
/// had all come evenly spaced. So taking is one look and one store, and whoever rests has all of it again. In nanoseconds.
struct Bucket {
    var idle: Int64

    /// Takes `count`; if that is too much, takes nothing and tells the seconds to wait.
    mutating func take(_ count: Int, _ rate: Rate, at now: Int64) -> Int? {
        let next = max(idle, now) + rate.share * Int64(clamping: count)
        guard next <= now + rate.nanoseconds else { return Self.seconds(next - now - rate.nanoseconds) }
        idle = next
        return nil
    }

    /// Takes `count`, also what is not there: it is owed then, but never more than `most` nanoseconds' worth.
    mutating func charge(_ count: Int, _ rate: Rate, at now: Int64, most: Int64) {
        let limit = now + rate.nanoseconds + most
        let (cost, overflows) = rate.share.multipliedReportingOverflow(by: Int64(clamping: count))
        idle = overflows ? limit : min(max(idle, now) + min(cost, limit), limit)
    }

    /// The seconds until nothing is owed; nil if nothing is.
    func debt(_ rate: Rate, at now: Int64) -> Int? {
        let debt = idle - now - rate.nanoseconds
        return debt > 0 ? Self.seconds(debt) : nil
    }

    /// Rounded up.
    private static func seconds(_ nanoseconds: Int64) -> Int { Int((nanoseconds + 999_999_999) / 1_000_000_000) }
}

extension Rate {
    fileprivate var nanoseconds: Int64 { span * 1_000_000 }
    /// Nanoseconds that one of the count is worth.
    fileprivate var share: Int64 { max(1, nanoseconds / Int64(count)) }
}
