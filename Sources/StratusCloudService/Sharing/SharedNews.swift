import StratusCloudModel
import StratusCloudStore

/// That something changed in a zone which people share. It lies in the owner's partition from the very commit that
/// changed it until all who share were told, so that neither a crash nor a stop loses it.
struct SharedNews: StoredValue, Hashable {
    static let format: UInt8 = 2
    static let readableFormats: ClosedRange<UInt8> = 1...2

    /// A share that was touched: whoever takes part in it when it is told hears of it.
    struct Touched: Hashable, Sendable {
        var share: ShareNumber
        /// Types of the records that changed in it; empty where it changed as a whole.
        var types: Set<String>
    }

    /// Names it: whoever is told of it a second time can tell by this.
    let id: String
    /// With its owner.
    let zoneID: ZoneID
    let zone: ZoneNumber
    var touched: [Touched] = []
    /// Who is to be told though they are in no share any more.
    var dismissed: Set<String> = []
    let originClientID: String?
    /// Of the request that caused it.
    var trace: TraceContext?

    init(id: String, zoneID: ZoneID, zone: ZoneNumber, originClientID: String?, trace: TraceContext?) {
        self.trace = trace
        self.id = id
        self.zoneID = zoneID
        self.zone = zone
        self.originClientID = originClientID
    }

    /// Of a zone that is about to go with all its shares; nil if nobody shares it.
    init?(
        ofDeleting zoneID: ZoneID, by caller: Caller, id: String, in transaction: any ReadTransaction
    ) throws {
        guard let header = try ZoneHeader.find(zoneID.zoneName, in: transaction), header.sharing.isAnything else {
            return nil
        }
        self.init(
            id: id, zoneID: zoneID, zone: header.number, originClientID: caller.clientID, trace: caller.trace)
        for share: StoredShare in try transaction.allValues(in: Keyspace.shares(zone: header.number)) where share.isLive
        {
            let participants: [StoredParticipant] = try transaction.allValues(
                in: Keyspace.participants(zone: header.number, share.number))
            dismissed.formUnion(participants.compactMap { $0.user?.userRecordName })
        }
        guard !dismissed.isEmpty else { return nil }
    }

    init(from reader: inout ByteReader) throws {
        self.init(
            id: try reader.string(),
            zoneID: ZoneID(zoneName: try reader.string(), ownerRecordName: try reader.string()),
            zone: ZoneNumber(rawValue: try reader.unsigned()), originClientID: try reader.optional { try $0.string() },
            trace: nil)
        touched = try reader.list { reader in
            Touched(
                share: ShareNumber(rawValue: try reader.unsigned()), types: Set(try reader.list { try $0.string() }))
        }
        dismissed = Set(try reader.list { try $0.string() })
        if !reader.isAtEnd { trace = try TraceContext(from: &reader) }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(id)
        writer.write(zoneID.zoneName)
        writer.write(zoneID.ownerRecordName ?? "")
        writer.write(unsigned: zone.rawValue)
        writer.write(optional: originClientID) { $0.write($1) }
        writer.write(list: touched) { writer, touched in
            writer.write(unsigned: touched.share.rawValue)
            writer.write(list: touched.types.sorted()) { $0.write($1) }
        }
        writer.write(list: dismissed.sorted()) { $0.write($1) }
        if let trace { trace.write(to: &writer) }
    }

    /// Queues it in the transaction that causes it.
    /// - Parameter version: the database's, which no other commit has.
    func queue(at version: UInt64, in transaction: any WriteTransaction) {
        transaction.set(Keyspace.sharedNews(version: version), self)
    }
}

/// What one person is told of one zone, however many commits there were.
struct SharedLetter: Hashable, Sendable {
    let zoneID: ZoneID
    /// See ``SharedNews/id``; of the latest commit.
    var id: String
    /// Of the changed records; empty where what the person sees changed as a whole.
    var types: Set<String>
    /// The client that made the change; nil if there were several.
    var originClientID: String?
    /// Of the request that made it; nil if there were several.
    var trace: TraceContext?

    /// Takes in what a later commit tells.
    mutating func add(_ news: SharedNews, _ types: Set<String>) {
        self.types = self.types.isEmpty || types.isEmpty ? [] : self.types.union(types)
        if originClientID != news.originClientID { originClientID = nil }
        if trace != news.trace { trace = nil }
        id = news.id
    }

    /// What a subscription to the shared database says of it; nil if it does not watch for it.
    func notification(
        for subscription: Subscription, of user: String, in context: CloudContext, at now: Int64
    ) -> QueuedNotification? {
        guard case .database(let wanted) = subscription.kind else { return nil }
        if let wanted, !types.isEmpty, !types.contains(wanted) { return nil }
        var notification = CloudNotification(
            // The same whenever it is told, so that a device that hears it twice knows.
            notificationID: NotificationID.derived(from: [id, user, subscription.subscriptionID]),
            container: context.container, scope: .shared, subscriptionID: subscription.subscriptionID,
            userRecordName: user, kind: .database(zoneID))
        if let info = subscription.notificationInfo {
            info.fill(&notification, from: nil)
        } else {
            notification.isContentAvailable = true
        }
        return QueuedNotification(
            lane: .own, sequence: 0, time: now, originClientID: originClientID, recordType: nil, creator: nil,
            notification: notification, trace: trace)
    }
}

/// Some of an owner's news, sorted by who is to hear them.
struct SharedMail: Sendable {
    /// By user record name, in the order of the commits.
    private(set) var letters: [String: [SharedLetter]] = [:]
    /// Where the next begin; nil if there were none.
    private(set) var end: Key?
    /// Whether commits left something to be done in the directory.
    private(set) var changesDirectory = false

    /// Reads the oldest news that are not told.
    /// - Parameter start: all before were told.
    init(after start: Key, in transaction: any ReadTransaction) throws {
        changesDirectory = try !transaction.entries(in: Keyspace.directoryChanges, limit: 1).isEmpty
        var range = Keyspace.sharedNews
        range.lower = max(range.lower, start)
        var people: [ShareNumber: [String]] = [:]
        for entry in try transaction.entries(in: range, limit: ShareLimits.newsPerStep) {
            let news = try SharedNews(stored: entry.value)
            for touched in news.touched {
                // Numbers are a zone's own, and most steps are about one zone.
                if people[touched.share] == nil || zone != news.zone {
                    if zone != news.zone { people = [:] }
                    zone = news.zone
                    people[touched.share] = try Self.accepted(touched.share, in: news.zone, transaction)
                }
                for user in people[touched.share] ?? [] where !news.dismissed.contains(user) {
                    add(news, touched.types, for: user)
                }
            }
            for user in news.dismissed { add(news, [], for: user) }
            end = entry.key.next
        }
    }

    private var zone: ZoneNumber?

    private static func accepted(
        _ share: ShareNumber, in zone: ZoneNumber, _ transaction: any ReadTransaction
    ) throws -> [String] {
        try transaction.allValues(StoredParticipant.self, in: Keyspace.participants(zone: zone, share))
            .compactMap { $0.user?.userRecordName }
    }

    private mutating func add(_ news: SharedNews, _ types: Set<String>, for user: String) {
        var own = letters[user] ?? []
        if let index = own.firstIndex(where: { $0.zoneID == news.zoneID }) {
            own[index].add(news, types)
        } else {
            own.append(
                SharedLetter(
                    zoneID: news.zoneID, id: news.id, types: types, originClientID: news.originClientID,
                    trace: news.trace))
        }
        letters[user] = own
    }
}
