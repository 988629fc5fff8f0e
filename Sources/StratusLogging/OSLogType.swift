/// How much a message matters.
public struct OSLogType: RawRepresentable, Hashable, Sendable {
    /// Apple's number.
    public let rawValue: UInt8

    /// Takes Apple's number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Takes Apple's number.
    public init(_ rawValue: UInt8) { self.rawValue = rawValue }

    /// What is usual.
    public static let `default` = OSLogType(0x00)
    /// Helpful, but not needed. Left out unless asked for, see ``LogOutput/threshold``.
    public static let info = OSLogType(0x01)
    /// For whoever looks for a fault. Left out unless asked for.
    public static let debug = OSLogType(0x02)
    /// An error of the program.
    public static let error = OSLogType(0x10)
    /// An error that should not be possible.
    public static let fault = OSLogType(0x11)

    /// In the order of what matters least first.
    var rank: Int {
        switch self {
        case .debug: 0
        case .info: 1
        case .error: 3
        case .fault: 4
        default: 2
        }
    }

    /// As it stands in a line.
    var name: String {
        switch self {
        case .debug: "debug"
        case .info: "info"
        case .error: "error"
        case .fault: "fault"
        default: "notice"
        }
    }
}
