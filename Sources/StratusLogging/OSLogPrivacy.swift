/// Whether a value may be read in the log.
public struct OSLogPrivacy: Hashable, Sendable {
    /// What stands in the place of a value that may not be read.
    public enum Mask: Hashable, Sendable {
        /// Something that is the same for equal values of one run of the program.
        case hash
        /// Nothing of the value.
        case none
    }

    private enum Rule: Hashable, Sendable {
        case open
        case hidden(Mask)
    }

    private let rule: Rule

    /// Written. Apple's log hides text unless a debugger is there; this log is the developer's own terminal or journal.
    public static let auto = OSLogPrivacy(rule: .open)
    /// Written.
    public static let `public` = OSLogPrivacy(rule: .open)
    /// Not written.
    public static let `private` = OSLogPrivacy(rule: .hidden(.none))
    /// Not written.
    public static let sensitive = OSLogPrivacy(rule: .hidden(.none))

    /// As ``auto``; the mask is for what is hidden.
    public static func auto(mask: Mask) -> OSLogPrivacy { .auto }
    /// Not written; with a mask equal values can be told.
    public static func `private`(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(rule: .hidden(mask)) }
    /// Not written; with a mask equal values can be told.
    public static func sensitive(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(rule: .hidden(mask)) }

    /// What is written of a value.
    func shown(_ text: String) -> String {
        switch rule {
        case .open: text
        case .hidden(.none): "<private>"
        // Seeded for each run, so that it cannot be looked up.
        case .hidden(.hash): "<mask.hash: \(String(UInt(bitPattern: text.hashValue), radix: 16))>"
        }
    }
}
