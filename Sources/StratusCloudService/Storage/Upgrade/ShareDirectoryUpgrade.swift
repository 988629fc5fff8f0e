import StratusCloudModel
import StratusCloudStore

/// Brings what the directory knows of shares in line with the shares that there are: notes the invitations that were made
/// before invitations were noted, and forgets notes and links of what is gone, which earlier versions left there.
///
/// In transactions of bounded size. What was done before a run was cut short the next one finds done.
struct ShareDirectoryUpgrade: Sendable {
    /// Participants, or entries of the directory, that one transaction looks at.
    static let entriesPerStep = 500

    private let store: any MaintainedStore

    init(_ store: any MaintainedStore) { self.store = store }

    func run() async throws {
        for partition in try await store.partitions() {
            guard partition.databaseContext != nil else { continue }
            for (name, header) in try await store.read(partition, { try CloudService.allZones(in: $0) })
            where header.sharing.isAnything {
                guard let place = ShareLedger.Place(partition, zoneName: name) else { continue }
                try await noteInvitations(to: place, header.number, in: partition)
            }
        }
        try await forget(DirectoryKey.shareGUIDs) { (link: ShareGUID) in
            .privateDatabase(of: link.owner, in: link.context)
        } unless: { key, link, transaction in
            guard let header = try ZoneHeader.find(link.zoneName, in: transaction) else { return false }
            let guid = try DirectoryKey.shortGUID(of: key)
            return try transaction.get(Keyspace.shareLink(zone: header.number, guid)) != nil
        }
        try await forget(DirectoryKey.shareInvitations) { (note: InvitationNote) in
            .privateDatabase(of: note.owner, in: note.context)
        } unless: { key, note, transaction in
            guard let header = try ZoneHeader.find(note.zoneName, in: transaction),
                let whole = try WholeShare.named(note.shareName, zone: header, in: transaction),
                let invited = whole.participants.first(where: { $0.participantID == note.participantID })
            else { return false }
            return !invited.hasAccepted && invited.lookup.map { note.key(of: $0) } == key
        }
    }

    private func noteInvitations(
        to place: ShareLedger.Place, _ zone: ZoneNumber, in partition: Partition
    ) async throws {
        var rest: KeyRange? = KeyRange(prefix: Keyspace.prefix(.participant, zone: zone).key)
        while let range = rest {
            let (notes, next) = try await store.read(partition) { transaction in
                let entries = try transaction.entries(in: range, limit: Self.entriesPerStep)
                let next = entries.count == Self.entriesPerStep ? entries.last?.key.next : nil
                return (try Self.notes(of: entries, place, zone, transaction), next)
            }
            if !notes.isEmpty {
                try await store.write(.directory) { transaction in
                    for (key, note) in notes { transaction.set(key, note) }
                }
            }
            rest = next.map { KeyRange(lower: $0, upper: range.upper) }
        }
    }

    private static func notes(
        of entries: [StoreEntry], _ place: ShareLedger.Place, _ zone: ZoneNumber, _ transaction: any ReadTransaction
    ) throws -> [(Key, InvitationNote)] {
        try entries.compactMap { entry in
            let participant = try StoredParticipant(stored: entry.value)
            guard !participant.hasAccepted, let lookup = participant.lookup else { return nil }
            let number = try Keyspace.share(ofParticipant: entry.key)
            guard let share: StoredShare = try transaction.value(at: Keyspace.share(zone: zone, number)) else {
                return nil
            }
            let note = InvitationNote(of: participant, to: share, in: place)
            return (note.key(of: lookup), note)
        }
    }

    /// Forgets the entries of a range of the directory that lead nowhere.
    /// - Parameters:
    ///   - partition: where the zone of an entry is, or would be.
    ///   - leadsSomewhere: told by a transaction there.
    private func forget<Entry: StoredValue>(
        _ range: KeyRange, of partition: (Entry) -> Partition,
        unless leadsSomewhere: @escaping @Sendable (Key, Entry, any ReadTransaction) throws -> Bool
    ) async throws {
        var rest: KeyRange? = range
        while let range = rest {
            let rows = try await store.read(.directory) { try $0.entries(in: range, limit: Self.entriesPerStep) }
            let entries = try rows.map { (key: $0.key, entry: try Entry(stored: $0.value)) }
            var dead: [Key] = []
            for (partition, own) in Dictionary(grouping: entries, by: { partition($0.entry) }) {
                dead += try await store.read(partition) { transaction in
                    try own.filter { try !leadsSomewhere($0.key, $0.entry, transaction) }.map(\.key)
                }
            }
            if !dead.isEmpty {
                let keys = dead
                try await store.write(.directory) { transaction in
                    for key in keys { transaction.clear(key) }
                }
            }
            let next = rows.count == Self.entriesPerStep ? rows.last?.key.next : nil
            rest = next.map { KeyRange(lower: $0, upper: range.upper) }
        }
    }
}
