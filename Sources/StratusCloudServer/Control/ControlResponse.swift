import FoundationEssentials
import StratusBackups
import StratusCloudModel

/// The answer to a ``ControlRequest``.
public enum ControlResponse: Codable, Hashable, Sendable {
    case done
    /// Containers or e-mail addresses.
    case names([String])
    /// An API token: shown this once.
    case token(String)
    case keyID(String)
    case session(webAuthToken: String, userRecordName: String)
    /// Text in the schema language.
    case schema(String)
    /// The body that the web services would answer with.
    case body(String)
    /// The answer of a query and how it came about.
    case explanation(ControlExplanation)
    /// A page of an export.
    case page(ControlPage)
    /// Some bytes of an asset.
    case bytes(Data)
    /// A backup was made.
    case backup(BackupSummary)
    case consistency(ControlConsistency)
    /// How far a check is: rows of the store, and bytes of assets.
    case checkProgress(rows: UInt64, assetBytes: UInt64)
    /// All is undamaged; how many rows were read.
    case verified(rows: UInt64)
    case person(ControlPerson)
    case personPlaces(ControlPersonPlaces)
    case erased(ControlErasure)
    /// The store failed: a code of `StoreError`, and its message.
    case storeFailed(code: String, message: String)
    case usage(ControlUsage)
    case container(ControlContainer)
    case appLink(url: String?, command: String?)
    case schemaChange(ControlSchemaChange)
    case history([ControlHistoryEntry])
    case indexes([ControlIndex])
    case recordTypes([ControlRecordType])
    case credentials([ControlCredential])
    case developers([ControlDeveloper])
    case appPasswords([ControlAppPassword])
    /// A one-time code or an app password: shown this once.
    case code(String)
    case failed(ControlFailure)
}

/// What a database holds.
public struct ControlUsage: Codable, Hashable, Sendable {
    /// Records.
    public var records: Int64
    /// Bytes of records without their assets.
    public var recordBytes: Int64
    /// Bytes of the assets that records refer to.
    public var assetBytes: Int64

    /// What a database holds.
    public init(records: Int64, recordBytes: Int64, assetBytes: Int64) {
        self.records = records
        self.recordBytes = recordBytes
        self.assetBytes = assetBytes
    }
}

/// How a query was answered.
public struct ControlExplanation: Codable, Hashable, Sendable {
    /// The steps, for people.
    public var plan: [String]
    /// The key ranges that were read, in hexadecimal; the first few.
    public var ranges: [String]
    /// Index keys, those to choose the plan included.
    public var keysRead: Int
    /// Records read to answer, those left out included.
    public var recordsRead: Int
    /// Records in the answer.
    public var recordsReturned: Int

    /// What a query tells of itself.
    public init(plan: [String], ranges: [String], keysRead: Int, recordsRead: Int, recordsReturned: Int) {
        self.plan = plan
        self.ranges = ranges
        self.keysRead = keysRead
        self.recordsRead = recordsRead
        self.recordsReturned = recordsReturned
    }
}

/// A page of an export.
public struct ControlPage: Codable, Hashable, Sendable {
    /// Records as JSON, one dictionary of the wire each.
    public var lines: [String]
    /// The assets that the lines name, in their order.
    public var assets: [ControlAsset]
    /// Where to go on; nil at the end of the zone.
    public var next: String?

    /// A page of lines.
    public init(lines: [String], assets: [ControlAsset], next: String?) {
        self.lines = lines
        self.assets = assets
        self.next = next
    }
}

/// An asset of an exported record.
public struct ControlAsset: Codable, Hashable, Sendable {
    /// As its record says.
    public var fileChecksum: String
    /// Bytes.
    public var size: Int64

    /// What a record says of an asset.
    public init(fileChecksum: String, size: Int64) {
        self.fileChecksum = fileChecksum
        self.size = size
    }
}

/// Why a request was refused.
public struct ControlFailure: Codable, Hashable, Sendable, Error {
    /// A code of the web services, such as `NOT_FOUND`.
    public var code: String
    /// For people.
    public var reason: String
    /// Seconds after which a retry makes sense.
    public var retryAfter: Int?
    /// Names the request in the server's log.
    public var uuid: String?

    /// What an error tells.
    public init(_ error: CloudError) {
        code = error.code.rawValue
        reason = error.reason
        retryAfter = error.retryAfter
    }

    /// The error it was made of.
    public var error: CloudError {
        CloudError(CloudError.Code(rawValue: code) ?? .internalError, reason, retryAfter: retryAfter)
    }
}
