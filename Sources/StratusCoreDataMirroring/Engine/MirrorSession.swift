import Foundation
import StratusCloudKit
import StratusCoreData

/// Changes of the tables that are collected outside of a transaction, with a view of the tables as they will be.
///
/// Only the mirror that holds the lock changes the tables, on its queue, so that what is read stays true until the changes
/// are written.
final class MirrorSession {
    let store: NSPersistentStore
    let zone: ZoneRow
    private(set) var changes = MirrorChanges()
    private var known: [StoredObjectKey: RecordRow] = [:]
    private var keys: [String: StoredObjectKey] = [:]

    init(_ store: NSPersistentStore, _ zoneID: CKRecordZone.ID) throws {
        self.store = store
        zone = try store.transaction { try MirrorTables(transaction: $0).zone(zoneID) }
    }

    func read<Value>(_ body: (MirrorTables) throws -> Value) throws -> Value {
        try store.reading { try body(MirrorTables(transaction: $0)) }
    }

    // MARK: - Objects

    func record(_ key: StoredObjectKey) throws -> RecordRow? {
        if let row = known[key] { return row }
        guard !changes.removedRecords.contains(key) else { return nil }
        return note(try read { try $0.record(key) })
    }

    func record(named name: String) throws -> RecordRow? {
        if let key = keys[name] { return known[key] }
        guard let found = try read({ try $0.record(named: name, in: zone.number) }),
            !changes.removedRecords.contains(found.key)
        else { return nil }
        return note(known[found.key] ?? found)
    }

    func put(_ row: RecordRow) {
        note(row)
        changes.removedRecords.remove(row.key)
        changes.records[row.key] = row
    }

    func remove(_ row: RecordRow) {
        (known[row.key], keys[row.name], changes.records[row.key]) = (nil, nil, nil)
        changes.removedRecords.insert(row.key)
    }

    /// Returns the state of an object, which waits for export if it is new.
    func record(of objectID: NSManagedObjectID) throws -> RecordRow? {
        guard let key = objectID.storedKey else { return nil }
        if let row = try record(key) { return row }
        var row = RecordRow(key: key, zone: zone.number, name: UUID().uuidString, changed: Date())
        row.export.note(.save)
        put(row)
        return row
    }

    @discardableResult
    private func note(_ row: RecordRow?) -> RecordRow? {
        guard let row else { return nil }
        known[row.key] = row
        keys[row.name] = row.key
        return row
    }

    // MARK: - Links

    func link(named name: String) throws -> LinkRow? {
        if let row = changes.links[name] { return row }
        guard !changes.removedLinks.contains(name) else { return nil }
        return try read { try $0.link(named: name, in: zone.number) }
    }

    /// Returns the links of a record.
    func links(of name: String) throws -> [LinkRow] {
        let stored = try read { try $0.links(of: name, in: zone.number) }.filter {
            changes.links[$0.name] == nil && !changes.removedLinks.contains($0.name)
        }
        return stored + changes.links.values.filter { $0.first == name || $0.second == name }
    }

    func put(_ link: LinkRow) {
        changes.removedLinks.remove(link.name)
        changes.links[link.name] = link
    }

    func remove(_ link: LinkRow) {
        changes.links[link.name] = nil
        changes.removedLinks.insert(link.name)
    }

    /// Makes the links of an object that was deleted wait for the deletion of their records.
    func deleteLinks(of name: String) throws {
        for var link in try links(of: name) where link.export.pending != .delete {
            link.export.note(.delete)
            link.isApplied = false
            put(link)
        }
    }

    // MARK: - Waiting references

    func waiting(of source: String) throws -> [WaitingReference] {
        try combined(try read { try $0.waiting(of: source, in: zone.number) }) { $0.source == source }
    }

    func waiting(for target: String) throws -> [WaitingReference] {
        try combined(try read { try $0.waiting(for: target, in: zone.number) }) { $0.target == target }
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
}

/// Changes of the tables.
struct MirrorChanges: Sendable {
    var records: [StoredObjectKey: RecordRow] = [:]
    var removedRecords: Set<StoredObjectKey> = []
    var links: [String: LinkRow] = [:]
    var removedLinks: Set<String> = []
    var waiting: [WaitingReference.Place: WaitingReference] = [:]
    var settled: [WaitingReference.Place: WaitingReference] = [:]
    /// The number of the last transaction of the history that the changes are from.
    var position: Int64?

    /// Writes the changes.
    func write(to tables: MirrorTables, zone: Int64) throws {
        for key in removedRecords { try tables.deleteRecord(key) }
        for row in records.values.sorted(by: { $0.key < $1.key }) { try tables.put(row) }
        for name in removedLinks { try tables.deleteLink(named: name, in: zone) }
        for link in links.values.sorted(by: { $0.name < $1.name }) { try tables.put(link) }
        for reference in settled.values { try tables.delete(reference) }
        for reference in waiting.values { try tables.put(reference) }
        if let position { try tables.setPosition(position) }
    }
}

extension WaitingReference {
    /// The property that refers to a record.
    struct Place: Hashable, Sendable {
        var source: String
        var relationship: String
    }

    var place: Place { Place(source: source, relationship: relationship) }
}
