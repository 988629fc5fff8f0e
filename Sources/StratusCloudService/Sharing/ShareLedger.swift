import StratusCloudModel
import StratusCloudStore

/// Keeps, in one transaction, what belongs to the shares of a zone: which records, and what their feeds tell.
///
/// Told of every record that is written or deleted, it decides at the end what came into a share and what left one: by
/// the parents as the transaction leaves them, so that a record that only passes through is told nowhere.
final class ShareLedger {
    /// A record that was saved.
    struct Saved {
        let recordType: String
        /// What is above it; see ``RecordHierarchy/above(_:)``.
        let parent: String?
        let version: UInt64
        let isNew: Bool
        /// See ``RecordHierarchy/isDetached(_:)``.
        let isDetached: Bool
        /// The share whose root it is, also while it is detached.
        let share: ShareNumber?
    }

    /// Where it is: what the directory has to know of a share.
    struct Place {
        let context: CloudContext
        /// User record name.
        let owner: String
        let zoneName: String

        init(context: CloudContext, owner: String, zoneName: String) {
            self.context = context
            self.owner = owner
            self.zoneName = zoneName
        }

        /// A zone of a private database; nil of any other.
        init?(_ partition: Partition, zoneName: String) {
            guard let context = partition.databaseContext, let owner = partition.privateOwner(in: context) else {
                return nil
            }
            self.init(context: context, owner: owner, zoneName: zoneName)
        }
    }

    let place: Place
    let hierarchy: any RecordHierarchy.Type
    let zone: ZoneNumber
    let now: Int64
    let transaction: any WriteTransaction
    /// What belonged to what before the transaction, as far as it was looked at.
    private var members: [String: ShareMember?] = [:]
    private var shares: [ShareNumber: StoredShare] = [:]
    var saved: [String: Saved] = [:]
    /// Records that were shared in this transaction, and their shares' records.
    private(set) var added: [String: (share: ShareNumber, isRoot: Bool)] = [:]
    /// Shares that lost their root.
    private(set) var orphaned: Set<ShareNumber> = []
    /// Shares of which something changed.
    var touched: Set<ShareNumber> = []
    /// Who is to be told though they are in no share any more.
    var dismissed: Set<String> = []
    /// Whether something is left to be done in the directory.
    var changesDirectory = false
    /// Types of all records that changed, and of those in each share of a hierarchy.
    private var types: Set<String> = []
    private var typesOfShares: [ShareNumber: Set<String>] = [:]
    /// Saves of share records that come of others' doing.
    var plans: [Int: SharePlan] = [:]

    init(_ place: Place, zone: ZoneNumber, now: Int64, in transaction: any WriteTransaction) {
        self.place = place
        hierarchy = ReservedZones.hierarchy(of: place.zoneName) ?? ParentHierarchy.self
        self.zone = zone
        self.now = now
        self.transaction = transaction
    }

    // MARK: - What is stored

    /// Reads what names belong to, all at once.
    func load(_ names: some Sequence<String>) throws {
        let unknown = Array(Set(names.filter { members[$0] == nil }))
        for (name, member) in zip(unknown, try transaction.shareMembers(unknown, in: zone)) {
            members[name] = .some(member)
        }
    }

    /// What a name belonged to, live or not.
    func member(_ name: String) throws -> ShareMember? {
        if let known = members[name] { return known }
        try load(CollectionOfOne(name))
        return members[name] ?? nil
    }

    func share(_ number: ShareNumber) throws -> StoredShare? {
        if let known = shares[number] { return known }
        let found: StoredShare? = try transaction.value(at: Keyspace.share(zone: zone, number))
        shares[number] = found
        return found
    }

    /// Stores a share, which counts as changed.
    func set(_ share: StoredShare) {
        shares[share.number] = share
        touched.insert(share.number)
    }

    /// What a name belonged to, if that is still shared.
    func liveMember(_ name: String) throws -> ShareMember? {
        guard let member = try member(name), try share(member.share)?.isLive == true else { return nil }
        return member
    }

    /// The live share that a record is the root of, also while the record is detached.
    func share(rootedIn record: StoredRecord) throws -> StoredShare? {
        guard let name = record.share?.recordName, let number = try member(name)?.share,
            let share = try share(number), share.isLive, share.rootName == record.recordName
        else { return nil }
        return share
    }

    // MARK: - What happens

    func add(_ share: StoredShare) {
        set(share)
        open(link: share.shortGUID, to: StoredShareLink(share: share.number))
        guard let root = share.rootName else { return }
        added[root] = (share.number, true)
        added[share.recordName] = (share.number, false)
    }

    func note(_ record: StoredRecord, isNew: Bool) throws {
        types.insert(record.recordType)
        saved[record.recordName] = Saved(
            recordType: record.recordType, parent: hierarchy.above(record), version: record.version, isNew: isNew,
            isDetached: hierarchy.isDetached(record), share: try share(rootedIn: record)?.number)
    }

    /// - Parameter version: the zone's version that the deletion made.
    func noteDeletion(_ record: StoredRecord, version: UInt64) throws {
        types.insert(record.recordType)
        if let share = try share(rootedIn: record) { orphaned.insert(share.number) }
        guard let member = try member(record.recordName) else { return }
        transaction.clear(Keyspace.member(zone: zone, record.recordName))
        members[record.recordName] = .some(nil)
        guard try share(member.share)?.isLive == true else { return }
        leave(record.recordName, record.recordType, member, at: version)
        if member.isRoot { orphaned.insert(member.share) }
    }

    // MARK: - Feeds

    func leave(_ name: String, _ type: String, _ member: ShareMember, at version: UInt64) {
        touch(member.share, type)
        transaction.clear(Keyspace.sharePrefix(.shareFeed, zone: zone, member.share).key(member.listed))
        let entry = ShareFeedEntry(recordName: name, recordType: type, joined: member.joined, left: now)
        transaction.set(Keyspace.sharePrefix(.shareGone, zone: zone, member.share).key(version), entry)
        transaction.set(
            Keyspace.shareDeparture(zone: zone, of: name, version), ShareDeparture(entry, from: member.share))
    }

    func list(_ name: String, _ type: String, _ member: ShareMember, replacing former: ShareMember?) {
        touch(member.share, type)
        if let former, former.share == member.share {
            transaction.clear(Keyspace.sharePrefix(.shareFeed, zone: zone, member.share).key(former.listed))
        }
        transaction.set(
            Keyspace.sharePrefix(.shareFeed, zone: zone, member.share).key(member.listed),
            ShareFeedEntry(recordName: name, recordType: type, joined: member.joined))
        transaction.set(Keyspace.member(zone: zone, name), member)
        members[name] = .some(member)
    }

    private func touch(_ share: ShareNumber, _ type: String) {
        touched.insert(share)
        typesOfShares[share, default: []].insert(type)
    }

    /// What those in a share may know of the types of what changed: of records that they do not see, nothing.
    func changedTypes(in share: ShareNumber, whole: ShareNumber?) -> Set<String> {
        share == whole ? types : typesOfShares[share] ?? []
    }

    /// Whether any record changed.
    var hasChanges: Bool { !saved.isEmpty || !types.isEmpty || !touched.isEmpty }

    func forget(_ name: String) {
        transaction.clear(Keyspace.member(zone: zone, name))
        members[name] = .some(nil)
    }
}
