import Foundation

extension Signature {
    /// The time as the header has it, such as `2026-01-31T23:59:59Z`.
    /// - Parameter offset: Seconds from now.
    public static func date(offset: Double = 0) -> String {
        Date(timeIntervalSinceNow: offset).formatted(.iso8601)
    }
}
