/// What a check of all databases found.
public struct ConsistencyReport: Hashable, Sendable {
    /// Findings that are listed; others are only counted.
    public static let listed = 100

    /// Databases that were looked at.
    public internal(set) var databases = 0
    /// Databases for which a quick check had no time.
    public internal(set) var databasesLeftOut = 0
    /// Records in them.
    public internal(set) var records = 0
    /// Entries of their indexes.
    public internal(set) var indexEntries = 0
    /// Bytes of assets that are kept, each once.
    public internal(set) var assets = 0
    /// What is wrong, the first of it.
    public internal(set) var findings: [ConsistencyFinding] = []
    /// How much is, or was, wrong.
    public internal(set) var problems = 0
    /// How much of that was repaired.
    public internal(set) var repaired = 0

    mutating func add(_ found: [ConsistencyFinding]) {
        problems += found.count
        repaired += found.count { $0.isRepaired }
        findings += found.prefix(max(0, Self.listed - findings.count))
    }
}

/// Something that does not fit together.
public struct ConsistencyFinding: Hashable, Sendable {
    /// What is wrong.
    public enum Kind: String, Hashable, Sendable {
        /// A record cannot be read.
        case unreadableRecord
        /// A name and the record under it do not belong together.
        case wrongName
        /// A record is not in an index that should have it, or not with all it has.
        case missingIndexEntry
        /// An index has an entry that no record has.
        case staleIndexEntry
        /// A reference of a record is not known to its target, or the other way round, or they are not counted right.
        case wrongReferrers
        /// Which record has which asset is noted wrong, or counted wrong.
        case wrongAssetUse
        /// The bytes of an asset that records have are not there, or not all of them.
        case missingAsset
        /// The bytes of an asset that records have are not those that were stored.
        case damagedAsset
        /// What a database holds is counted wrong.
        case wrongUsage

        /// Whether what goes by this name can be repaired.
        public static func isRepairable(_ name: String) -> Bool { Kind(rawValue: name)?.canBeRepaired ?? false }

        /// Whether it is made of the records, and can be made again.
        var canBeRepaired: Bool {
            switch self {
            case .missingIndexEntry, .staleIndexEntry, .wrongReferrers, .wrongUsage: true
            case .unreadableRecord, .wrongName, .wrongAssetUse, .missingAsset, .damagedAsset: false
            }
        }
    }

    /// What is wrong.
    public let kind: Kind
    /// The database, as the store names it: container, environment, scope and, if it is private, the user record name.
    public let database: String
    /// Where in it.
    public let place: String
    /// Whether it is right again.
    public let isRepaired: Bool
}

/// Where findings are made.
struct ConsistencyPlace: Sendable {
    let database: String
    let zone: String
    /// Whether what can be repaired is.
    var repairs: Bool

    func finding(_ kind: ConsistencyFinding.Kind, _ place: String) -> ConsistencyFinding {
        ConsistencyFinding(
            kind: kind, database: database, place: zone.isEmpty ? place : "zone '\(zone)', \(place)",
            isRepaired: repairs && kind.canBeRepaired)
    }
}
