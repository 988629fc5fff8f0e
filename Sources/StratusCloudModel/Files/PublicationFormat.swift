/// How published files are stored: records of a zone of the private database.
public enum PublicationFormat {
    /// The zone of all publications.
    public static let zoneName = "_published"
    /// The type of all records in it.
    public static let recordType = "StratusPublication"

    /// STRING, the name of the file when it was published.
    public static let name = "name"
    /// STRING, the name of the file's record.
    public static let file = "file"
    /// ASSET, the content at that time; absent if it was empty.
    public static let content = "content"
    /// TIMESTAMP, when the publication ends.
    public static let expires = "expires"
    /// BYTES, the SHA-256 of the secret in the link.
    public static let secretHash = "secretHash"
}

/// A link to a snapshot of a file, for everybody who has it, until it ends.
public struct PublishedFile: Hashable, Sendable {
    /// The name of the record.
    public let id: String
    /// The record name of the file. It may be gone.
    public let file: String
    /// The name of the file when it was published.
    public let name: String
    /// Bytes of the content.
    public let size: Int64
    /// Milliseconds since 1970-01-01 UTC.
    public let created: Int64
    /// When the publication ends, in milliseconds since 1970-01-01 UTC.
    public let expires: Int64
    /// The secret part of the link; nil except in the answer to publishing.
    public var token: String?
    /// The link, where the server says it.
    public var url: String?

    /// Makes a publication.
    public init(
        id: String, file: String, name: String, size: Int64, created: Int64, expires: Int64, token: String? = nil,
        url: String? = nil
    ) {
        self.id = id
        self.file = file
        self.name = name
        self.size = size
        self.created = created
        self.expires = expires
        self.token = token
        self.url = url
    }
}

/// `files/publish`.
public struct PublishFileRequest: Hashable, Sendable {
    /// The record of the file.
    public var recordName: String
    /// Seconds until the publication ends; nil means ``FileLimits/publicationLifetime``.
    public var lifetime: Int64?

    /// Makes a request.
    public init(recordName: String, lifetime: Int64? = nil) {
        self.recordName = recordName
        self.lifetime = lifetime
    }
}
