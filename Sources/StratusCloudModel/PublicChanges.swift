/// A request for the records saved and deleted in a public database since a token: `changes/records`, an addition to
/// Apple's protocol.
public struct PublicChangesRequest: Hashable, Sendable {
    /// The end of the previous page; nil begins with all records.
    public var syncToken: String?
    /// 1 to ``ModelLimits/recordsPerResponse``, which is also the default.
    public var resultsLimit: Int?
    /// Fields wanted back; nil means all, an empty list none.
    public var desiredKeys: [String]?
    /// Record types wanted; nil means all. Deletions of other types are left out, too.
    public var desiredRecordTypes: [String]?

    /// Makes a request for a page.
    public init(
        syncToken: String? = nil, resultsLimit: Int? = nil, desiredKeys: [String]? = nil,
        desiredRecordTypes: [String]? = nil
    ) {
        self.syncToken = syncToken
        self.resultsLimit = resultsLimit
        self.desiredKeys = desiredKeys
        self.desiredRecordTypes = desiredRecordTypes
    }
}
