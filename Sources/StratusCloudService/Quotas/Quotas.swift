import StratusCloudModel

/// How much databases may hold, in bytes. Nil is without limit.
///
/// What the public database holds counts to its container and environment, whoever saved it; what a private one holds
/// counts to its account in that container and environment. Backups of devices count to their account alone. Assets are counted apart from the records that refer to
/// them, and once for each reference.
public struct Quotas: Hashable, Sendable {
    /// Records of a public database, without their assets.
    public var publicRecords: Int64?
    /// Assets that records of a public database refer to.
    public var publicAssets: Int64?
    /// Records of a private database, without their assets.
    public var privateRecords: Int64?
    /// Assets that records of a private database refer to.
    public var privateAssets: Int64?
    /// Backups of all devices of an account.
    public var deviceBackups: Int64?

    /// Makes quotas; by default none.
    public init(
        publicRecords: Int64? = nil, publicAssets: Int64? = nil, privateRecords: Int64? = nil,
        privateAssets: Int64? = nil, deviceBackups: Int64? = nil
    ) {
        self.publicRecords = publicRecords
        self.publicAssets = publicAssets
        self.privateRecords = privateRecords
        self.privateAssets = privateAssets
        self.deviceBackups = deviceBackups
    }

    /// What holds for a caller in a database. The operator fills databases beyond their quotas; developers do not.
    func quota(of scope: DatabaseScope, _ caller: Caller) -> Quota {
        guard !caller.isAdministrator || caller.isBoundByQuotas else { return Quota(database: scope) }
        return switch scope {
        case .public: Quota(database: .public, records: publicRecords, assets: publicAssets)
        case .private, .shared: Quota(database: .private, records: privateRecords, assets: privateAssets)
        }
    }
}

/// How much one database may hold.
struct Quota: Hashable, Sendable {
    let database: DatabaseScope
    var records: Int64?
    var assets: Int64?

    /// Refuses a save that would make a database fuller than it may be. What takes no more room than before is always
    /// let through, so that a full database can be cleared.
    func check(_ usage: Usage, adding change: Usage, record name: String) throws(CloudError) {
        if let records, change.recordBytes > 0, usage.recordBytes &+ change.recordBytes > records {
            throw exceeded(name, usage.recordBytes &+ change.recordBytes, "records", records)
        }
        if let assets, change.assetBytes > 0, usage.assetBytes &+ change.assetBytes > assets {
            throw exceeded(name, usage.assetBytes &+ change.assetBytes, "assets", assets)
        }
    }

    private func exceeded(_ name: String, _ needed: Int64, _ noun: String, _ limit: Int64) -> CloudError {
        CloudError(
            .quotaExceeded,
            "with record '\(name)' the \(database.rawValue) database would hold \(needed) bytes of \(noun), which is "
                + "more than its quota of \(limit)")
    }
}
