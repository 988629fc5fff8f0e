import StratusCloudKit
import StratusCloudModel

extension LocalCloud {
    /// Kinds of requests. One that saves and deletes is both.
    public struct Calls: OptionSet, Hashable, Sendable, CustomStringConvertible {
        /// One bit for each kind.
        public let rawValue: UInt32

        /// Puts kinds together.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// Fetches of records by their IDs.
        public static let fetchRecords = Calls(rawValue: 1 << 0)
        /// Saves of records.
        public static let saveRecords = Calls(rawValue: 1 << 1)
        /// Deletions of records.
        public static let deleteRecords = Calls(rawValue: 1 << 2)
        /// A page of a query.
        public static let query = Calls(rawValue: 1 << 3)
        /// A page of the changes of zones.
        public static let fetchZoneChanges = Calls(rawValue: 1 << 4)
        /// A page of the changes of a database.
        public static let fetchDatabaseChanges = Calls(rawValue: 1 << 5)
        /// Fetches of zones, all or by their IDs.
        public static let fetchZones = Calls(rawValue: 1 << 6)
        /// Saves of zones.
        public static let saveZones = Calls(rawValue: 1 << 7)
        /// Deletions of zones.
        public static let deleteZones = Calls(rawValue: 1 << 8)
        /// Fetches of subscriptions, all or by their IDs.
        public static let fetchSubscriptions = Calls(rawValue: 1 << 9)
        /// Saves of subscriptions.
        public static let saveSubscriptions = Calls(rawValue: 1 << 10)
        /// Deletions of subscriptions.
        public static let deleteSubscriptions = Calls(rawValue: 1 << 11)
        /// Searches for people.
        public static let discoverUsers = Calls(rawValue: 1 << 12)
        /// The bytes of an asset on their way to the cloud.
        public static let uploadAssets = Calls(rawValue: 1 << 13)
        /// The bytes of an asset on their way from the cloud.
        public static let downloadAssets = Calls(rawValue: 1 << 14)
        /// Who is signed in. The library asks once for itself before a container's first request, so this is in no
        /// collection, and the log does not show it.
        public static let fetchUser = Calls(rawValue: 1 << 15)

        /// Tokens for other clients of the container, such as web pages.
        public static let fetchWebAuthToken = Calls(rawValue: 1 << 16)
        /// What links to shares lead to.
        public static let fetchShareMetadata = Calls(rawValue: 1 << 17)
        /// Coming into shares.
        public static let acceptShares = Calls(rawValue: 1 << 18)
        /// Asking for access to shares.
        public static let requestShareAccess = Calls(rawValue: 1 << 19)

        /// A page of the changes of a public database.
        public static let fetchPublicChanges = Calls(rawValue: 1 << 20)

        /// All that changes something.
        public static let writes: Calls = [
            .saveRecords, .deleteRecords, .saveZones, .deleteZones, .saveSubscriptions, .deleteSubscriptions,
            .uploadAssets, .acceptShares, .requestShareAccess,
        ]
        /// All that changes nothing.
        public static let reads: Calls = [
            .fetchRecords, .query, .fetchZoneChanges, .fetchDatabaseChanges, .fetchZones, .fetchSubscriptions,
            .discoverUsers, .downloadAssets, .fetchWebAuthToken, .fetchShareMetadata, .fetchPublicChanges,
        ]
        /// Every request.
        public static let any: Calls = [.reads, .writes]

        private static let names: [(Calls, String)] = [
            (.fetchRecords, "fetchRecords"), (.saveRecords, "saveRecords"), (.deleteRecords, "deleteRecords"),
            (.query, "query"), (.fetchZoneChanges, "fetchZoneChanges"),
            (.fetchDatabaseChanges, "fetchDatabaseChanges"), (.fetchZones, "fetchZones"), (.saveZones, "saveZones"),
            (.deleteZones, "deleteZones"), (.fetchSubscriptions, "fetchSubscriptions"),
            (.saveSubscriptions, "saveSubscriptions"), (.deleteSubscriptions, "deleteSubscriptions"),
            (.discoverUsers, "discoverUsers"), (.uploadAssets, "uploadAssets"), (.downloadAssets, "downloadAssets"),
            (.fetchUser, "fetchUser"), (.fetchWebAuthToken, "fetchWebAuthToken"),
            (.fetchShareMetadata, "fetchShareMetadata"), (.acceptShares, "acceptShares"),
            (.requestShareAccess, "requestShareAccess"), (.fetchPublicChanges, "fetchPublicChanges"),
        ]

        /// The names of the kinds.
        public var description: String {
            Self.names.filter { contains($0.0) }.map(\.1).joined(separator: "+")
        }
    }
}

extension CloudCall {
    /// The kinds of a request; nil for what the library asks for itself on the way to another.
    var kinds: LocalCloud.Calls? {
        switch self {
        case .modifyRecords(let request):
            LocalCloud.Calls(request.operations.map { $0.kind.isDeletion ? .deleteRecords : .saveRecords })
        case .lookupRecords: .fetchRecords
        case .queryRecords: .query
        case .zoneChanges: .fetchZoneChanges
        case .databaseChanges: .fetchDatabaseChanges
        case .publicChanges: .fetchPublicChanges
        case .listZones, .lookupZones: .fetchZones
        case .modifyZones(let operations):
            LocalCloud.Calls(operations.map { $0.kind == .delete ? .deleteZones : .saveZones })
        case .listSubscriptions, .lookupSubscriptions: .fetchSubscriptions
        case .modifySubscriptions(let operations): LocalCloud.Calls(operations.map(\.callKind))
        case .currentUser: .fetchUser
        case .webAuthToken: .fetchWebAuthToken
        case .discoverUsers, .discoverAllUsers: .discoverUsers
        case .resolveShares: .fetchShareMetadata
        case .acceptShares: .acceptShares
        case .requestShareAccess: .requestShareAccess
        case .uploadAssets, .lookupShares, .updateShareKeys, .publishFile, .publishedFiles, .unpublishFile: nil
        }
    }
}

extension RecordOperation.Kind {
    var isDeletion: Bool { self == .delete || self == .forceDelete }
}

extension SubscriptionOperation {
    fileprivate var callKind: LocalCloud.Calls {
        if case .delete = self { .deleteSubscriptions } else { .saveSubscriptions }
    }
}

extension ZoneID {
    /// As the device that asks names it.
    var recordZoneID: CKRecordZone.ID { IdentityNames(currentUser: nil).zoneID(self) }
}
