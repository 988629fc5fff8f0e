import Foundation
import StratusCloudKit
import StratusCoreData

/// Changes of the tables that are collected outside of a transaction, with a view of the tables as they will be.
///
/// Only the mirror that holds the lock changes the tables, on its queue, so that what is read stays true until the changes
/// are written.
final class MirrorSession {
    let store: NSPersistentStore
    let rules: MirroredZones
    /// The zones by their numbers.
    let zones: [Int64: ZoneRow]
    private(set) var changes = MirrorChanges()
    private var known: [StoredObjectKey: RecordRow] = [:]
    /// The places of links that were changed, by the records that they link.
    private var changedLinks: [String: Set<RecordPlace>] = [:]
    /// Whether tables have rows, as far as that is known.
    private var filled: [MirrorTables.SparseTable: Bool] = [:]
    private var keys: [RecordPlace: StoredObjectKey] = [:]
    /// The places without an object among those that were read together.
    private var empty: Set<RecordPlace> = []

    /// - Parameter zoneID: A zone that is added if it is not known.
    init(_ store: NSPersistentStore, _ rules: MirroredZones, adding zoneID: CKRecordZone.ID? = nil) throws {
        self.store = store
        self.rules = rules
        let found = try store.transaction { transaction in
            let tables = MirrorTables(transaction: transaction)
            if let zoneID { _ = try tables.zone(zoneID) }
            return try tables.zones()
        }
        zones = Dictionary(found.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func read<Value>(_ body: (MirrorTables) throws -> Value) throws -> Value {
        try store.reading { try body(MirrorTables(transaction: $0)) }
    }

    /// Writes the changes.
    /// - Parameter work: Further work in the same transaction.
    func write(_ work: (MirrorTables) throws -> Void = { _ in }) throws {
        let changes = changes
        try store.transaction { transaction in
            let tables = MirrorTables(transaction: transaction)
            try changes.write(to: tables)
            try work(tables)
        }
    }

    /// Whether a table has stored rows. Most stores have none in these tables, which are asked for each object.
    private func hasRows(_ table: MirrorTables.SparseTable) throws -> Bool {
        if let known = filled[table] { return known }
        let found = try read { try $0.hasRows(table) }
        filled[table] = found
        return found
    }

    /// Reads rows of such a table.
    private func stored<Row>(
        _ table: MirrorTables.SparseTable, _ body: (MirrorTables) throws -> [Row]
    ) throws -> [Row] { try hasRows(table) ? read(body) : [] }

    // MARK: - Zones

    /// Returns a zone; nil for one that is not known.
    func zone(_ zoneID: CKRecordZone.ID) -> ZoneRow? {
        guard let zoneID = rules.mirrored(zoneID) else { return nil }
        return zones.values.first { $0.zoneID == zoneID }
    }

    /// The zone of new objects that are not related to shared ones.
    var home: ZoneRow? { rules.home.flatMap { zone($0) } }

    /// Whether a name in one zone may stand for a record in another one.
    func reaches(from zone: Int64, to other: Int64) -> Bool { zone == other || rules.shareNames }

    // MARK: - Objects

    func record(_ key: StoredObjectKey) throws -> RecordRow? {
        if let row = known[key] { return row }
        guard !changes.removedRecords.contains(key) else { return nil }
        return note(try read { try $0.record(key) })
    }

    /// Returns the state of the object with a record in a zone.
    func record(named name: String, exactlyIn zone: Int64) throws -> RecordRow? {
        let place = RecordPlace(zone: zone, name: name)
        if let key = keys[place] { return known[key] }
        if empty.contains(place) { return nil }
        return try current(try read { try $0.record(named: name, in: zone) }).flatMap { $0.zone == zone ? $0 : nil }
    }

    /// Reads the states of objects of a zone together, which takes less time than one by one.
    func readRecords(named names: [String], in zone: Int64) throws {
        empty.formUnion(names.map { RecordPlace(zone: zone, name: $0) })
        for row in try read({ try $0.records(named: names, in: zone) }) where known[row.key] == nil {
            if !changes.removedRecords.contains(row.key) { note(row) }
        }
    }

    /// Returns the state of an object whose record has a name in another zone than one.
    func anyRecord(named name: String, besides zone: Int64) throws -> RecordRow? {
        for number in zones.keys.sorted() where number != zone {
            if let key = keys[RecordPlace(zone: number, name: name)] { return known[key] }
        }
        return try current(try read { try $0.record(named: name) })
    }

    /// Returns what is known of an object whose state in the tables may be an older one.
    private func current(_ found: RecordRow?) throws -> RecordRow? {
        guard let found, !changes.removedRecords.contains(found.key) else { return nil }
        return known[found.key] ?? note(found)
    }

    func put(_ row: RecordRow) {
        if let former = known[row.key] { keys[former.place] = nil }
        note(row)
        changes.removedRecords.remove(row.key)
        changes.records[row.key] = row
    }

    func remove(_ row: RecordRow) {
        (known[row.key], keys[row.place], changes.records[row.key]) = (nil, nil, nil)
        changes.removedRecords.insert(row.key)
    }

    @discardableResult
    private func note(_ row: RecordRow?) -> RecordRow? {
        guard let row else { return nil }
        known[row.key] = row
        keys[row.place] = row.key
        return row
    }

    // MARK: - Links

    func link(named name: String, in zone: Int64) throws -> LinkRow? {
        let place = RecordPlace(zone: zone, name: name)
        if let row = changes.links[place] { return row }
        guard try hasRows(.links), !changes.removedLinks.contains(place) else { return nil }
        return try read { try $0.link(named: name, in: zone) }
    }

    /// Returns the links of an object.
    func links(of row: RecordRow) throws -> [LinkRow] {
        let stored = try stored(.links) { try $0.links(of: row.name) }.filter {
            changes.links[$0.place] == nil && !changes.removedLinks.contains($0.place)
        }
        let changed = (changedLinks[row.name] ?? []).compactMap { changes.links[$0] }
        return try (stored + changed).filter { try name(of: row, reachesFrom: $0.zone) }
    }

    func put(_ link: LinkRow) {
        changes.removedLinks.remove(link.place)
        changes.links[link.place] = link
        for name in [link.first, link.second] { changedLinks[name, default: []].insert(link.place) }
    }

    func remove(_ link: LinkRow) {
        changes.links[link.place] = nil
        changes.removedLinks.insert(link.place)
    }

    // MARK: - Waiting references

    func waiting(of source: RecordRow) throws -> [WaitingReference] {
        try combined(try stored(.waiting) { try $0.waiting(of: source.name, in: source.zone) }) {
            $0.source == source.name && $0.zone == source.zone
        }
    }

    func waiting(for target: RecordRow) throws -> [WaitingReference] {
        try combined(try stored(.waiting) { try $0.waiting(for: target.name) }) { $0.target == target.name }.filter {
            reaches(from: $0.zone, to: target.zone)
        }
    }

    func put(_ reference: WaitingReference) {
        changes.settled[reference.place] = nil
        changes.waiting[reference.place] = reference
    }

    func remove(_ reference: WaitingReference) {
        changes.waiting[reference.place] = nil
        changes.settled[reference.place] = reference
    }

    private func combined(
        _ stored: [WaitingReference], _ isWanted: (WaitingReference) -> Bool
    ) throws -> [WaitingReference] {
        stored.filter { changes.waiting[$0.place] == nil && changes.settled[$0.place] == nil }
            + changes.waiting.values.filter(isWanted)
    }

    // MARK: - Records that were left behind

    func former(named name: String, in zone: Int64) throws -> FormerRecord? {
        let place = RecordPlace(zone: zone, name: name)
        if let former = changes.formers[place] { return former }
        guard try hasRows(.formers), !changes.removedFormers.contains(place) else { return nil }
        return try read { try $0.former(named: name, in: zone) }
    }

    func put(_ former: FormerRecord) {
        changes.removedFormers.remove(former.place)
        changes.formers[former.place] = former
    }

    func removeFormer(_ place: RecordPlace) {
        changes.formers[place] = nil
        changes.removedFormers.insert(place)
    }
}
