/// What can go wrong in an engine.
public struct StoreError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is; what may be done about it depends on this.
    public enum Code: String, Sendable {
        /// No room; nothing was written. Works again when there is room.
        case diskFull
        /// The directory or a file cannot be written.
        case readOnly
        /// Another process has the data open.
        case locked
        /// The file was written by a newer version.
        case newerFormat
        /// The data was made by another engine than the one asked for.
        case otherEngine
        /// The file is damaged; the message says where. Nothing more is written.
        case corrupted
        /// The disk failed in a way that leaves the outcome of a commit unknown; the engine stops.
        case ioFailure
        case closed
        /// A key or a transaction over a limit of ``StoreLimits``.
        case tooLarge
    }

    /// What kind of failure it is.
    public let code: Code
    /// For the operator: what happened, where, and what to do.
    public let message: String

    /// A failure of a kind, and what to tell the operator.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}

/// Limits of every engine.
public enum StoreLimits {
    /// Bytes in a key, without the partition.
    public static let keySize = 4_096
    /// Bytes in a value.
    public static let valueSize = 8 * 1_048_576
    /// Bytes of keys and values that one transaction may write.
    public static let transactionSize = 512 * 1_048_576
    /// Entries of a range that are read at first, to learn how large they are, where they cannot be read one by one.
    static let firstStep = 16
    /// Bytes of values that are read at a time after that.
    static let stepSize = 1_048_576
}
