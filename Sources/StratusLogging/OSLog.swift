/// Where messages come from.
public final class OSLog: Sendable {
    /// The program or its part, such as `org.example.notes`.
    public let subsystem: String
    /// The part of the subsystem.
    public let category: String
    private let isSilent: Bool

    /// Messages of a part of a program.
    public convenience init(subsystem: String, category: String) {
        self.init(subsystem, category, isSilent: false)
    }

    private init(_ subsystem: String, _ category: String, isSilent: Bool) {
        self.subsystem = subsystem
        self.category = category
        self.isSilent = isSilent
    }

    /// Messages of no part in particular.
    public static let `default` = OSLog(subsystem: "", category: "")
    /// Writes nothing.
    public static let disabled = OSLog("", "", isSilent: true)

    /// Whether messages of a kind are written.
    public func isEnabled(type: OSLogType) -> Bool { !isSilent && LogOutput.takes(type) }
}
