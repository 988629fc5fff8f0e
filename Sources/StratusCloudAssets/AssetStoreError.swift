import Glibc

/// What can go wrong with the bytes of assets.
public struct AssetStoreError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is; what may be done about it depends on this.
    public enum Code: String, Sendable {
        /// No room. What was written before is still there.
        case diskFull
        /// There is no such file, or it is shorter than it should be.
        case missing
        /// The file has other bytes than those that were stored.
        case damaged
        /// The directory cannot be used, or the disk failed.
        case ioFailure
    }

    /// What kind of failure it is.
    public let code: Code
    /// For the operator: what happened, and where.
    public let message: String

    /// A failure of a kind, and what to tell the operator.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// What an error number of the system means.
    init(system error: Int32, while action: String) {
        let code: Code =
            switch error {
            case ENOSPC, EDQUOT, EFBIG: .diskFull
            case ENOENT: .missing
            default: .ioFailure
            }
        self.init(code, "\(action): \(String(cString: strerror(error)))")
    }

    /// The message.
    public var description: String { message }
}
