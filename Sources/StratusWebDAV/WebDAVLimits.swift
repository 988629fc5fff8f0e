import StratusXML

/// Limits of WebDAV. The documentation quotes this file.
public enum WebDAVLimits {
    /// Bytes of the XML body of a request: 64 KiB.
    public static let bodySize = 65_536
    /// Levels of elements in such a body.
    public static let elementDepth = 32
    /// Elements in such a body.
    public static let elements = 2_000
    /// Bytes of a namespace in such a body. What is written repeats it with each element.
    public static let namespaceSize = 512

    /// The limits of such a body together.
    static let xml = XMLLimits(
        size: bodySize, depth: elementDepth, elements: elements, namespaceSize: namespaceSize)

    /// Bytes of the names that a `PROPFIND` asks for, as they are written for each resource: 16 KiB.
    public static let propertyNamesSize = 16_384
    /// Bytes of the answer to a `PROPFIND` that are in memory at once: 1 MiB, and the properties of one more resource.
    public static let answerPieceSize = 1_048_576
    /// Bytes of an `If` header: 8 KiB.
    public static let ifHeaderSize = 8_192
    /// Conditions in an `If` header.
    public static let conditions = 100
    /// Locks of one account in one environment of a container.
    public static let locksPerAccount = 200
    /// Shared locks that hold for one resource, those of the folders around it included: its properties list them all.
    public static let locksPerResource = 10
    /// Locks of all accounts. When there are as many, accounts that have the most get no others.
    public static let locks = 10_000
    /// Seconds that a lock is granted, at most and where the client names no time: one hour.
    public static let lockSeconds: Int64 = 3_600
    /// Bytes of what a client says of a lock's owner.
    public static let lockOwnerSize = 1_024
}
