/// Where the bytes of assets lie: files under random names, grouped by owner. Which of them are needed, and by what, is
/// the service's affair.
///
/// What every implementation promises: after ``AssetWriter/synchronize()`` the bytes written so far survive a crash;
/// after ``remove(_:of:)`` the files do not come back. The calls may block; they see to it that no thread of Swift's own
/// pool does.
public protocol AssetStore: Sendable {
    /// Opens a file to write from `offset` on, and makes it if it is not there. What lies behind `offset` is dropped.
    /// - Parameter expecting: bytes that will come, if known, so that a full disk is told of before they do.
    /// - Throws: ``AssetStoreError``; `.missing` if the file has fewer bytes than `offset`.
    func write(
        _ file: AssetFileID, of owner: AssetOwner, from offset: Int64, expecting: Int64?
    ) async throws(AssetStoreError) -> any AssetWriter

    /// Opens a file for reading. It stays readable while the content is held, even if it is removed meanwhile.
    func content(of file: AssetFileID, of owner: AssetOwner) async throws(AssetStoreError) -> AssetContent

    /// Removes files; those that are not there are passed over.
    func remove(_ files: [AssetFileID], of owner: AssetOwner) async throws(AssetStoreError)

    /// Whether a file is there.
    func contains(_ file: AssetFileID, of owner: AssetOwner) async throws(AssetStoreError) -> Bool
}

/// A file that is being written, by one task at a time.
public protocol AssetWriter: Sendable {
    /// Appends bytes. They survive a crash only after ``synchronize()``.
    func append(_ bytes: [UInt8]) async throws(AssetStoreError)

    /// Makes what was written, and the file's name, durable.
    /// - Returns: The state of the file, by which a reader recognizes it as unchanged; nil if nothing can.
    @discardableResult
    func synchronize() async throws(AssetStoreError) -> AssetStamp?
}

/// Names a file of asset bytes: 128 random bits, never used twice.
public struct AssetFileID: Hashable, Sendable, CustomStringConvertible {
    /// Bytes of a name.
    public static let length = 16

    /// The name.
    public let bytes: [UInt8]

    /// Fails unless there are ``length`` bytes.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    /// The name in hexadecimal, as it stands in a folder.
    public var description: String { FolderPath.hex(bytes) }
}

/// Whose files: one database of one owner. Equal bytes are kept once within it and never looked for outside of it.
public struct AssetOwner: Hashable, Sendable {
    /// Bytes of a name.
    public static let length = 16

    /// A digest of the database's name.
    public let bytes: [UInt8]

    /// Fails unless there are ``length`` bytes.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }
}
