import Foundation
import StratusCloudKit
import StratusCoreData

// Objects whose records are in another zone than before.
extension PageImport {
    /// Returns the note that an object has left a record behind; nil for the record of an object that is here.
    func former(of record: CKRecord) throws -> FormerRecord? {
        try session.former(named: record.recordID.recordName, in: zone.number)
    }

    /// Moves an object whose record another device of the person has moved here. If two devices have moved an object at the
    /// same time, all devices agree on the zone whose name comes first, and the record in the other one goes.
    func noteMove(_ record: CKRecord) throws {
        let name = record.recordID.recordName
        guard session.zones.count > 1, session.rules.shareNames, try former(of: record) == nil,
            try session.record(named: name, exactlyIn: zone.number) == nil, try session.isOwn(record),
            let row = try session.record(named: name, from: zone.number)
                ?? session.record(namedAnew: name, in: zone),
            row.key.entity == record[MirroredModel.entityKey] as? String, try session.isOwn(row)
        else { return }
        if let other = session.zones[row.zone], comesFirst(other) {
            // Only the device that has moved the object here knows what it had changed before, and keeps it.
            let base = try model.row(of: record).map { MirroredBase($0) }
            session.put(
                FormerRecord(zone: zone.number, name: name, key: row.key, tag: record.recordChangeTag, base: base))
        } else {
            var row = row
            // This device has moved the object elsewhere: what it had not sent before that is to be kept.
            if row.zone != session.home?.number { row.base = try baseAtHome(row) }
            var moved = try session.move(row, to: zone.number, named: name, cleansUp: false)
            // An object that was deleted here is deleted there.
            if row.export.pending == .delete {
                moved.export.pending = .delete
                session.put(moved)
            }
            arrived.append(row.key)
            self.moved.append(row.key)
        }
    }

    /// Returns the values that the object and the record that it had before it was shared had last in common; nil if that
    /// is no longer known.
    private func baseAtHome(_ row: RecordRow) throws -> MirroredBase? {
        try session.home.flatMap { try session.former(named: row.name, in: $0.number) }?.base
    }

    /// Whether objects stay in another zone rather than come to this one.
    private func comesFirst(_ other: ZoneRow) -> Bool {
        let home = session.rules.home
        if zone.zoneID == home || other.zoneID == home { return zone.zoneID == home }
        return other.zoneID.zoneName < zone.zoneID.zoneName
    }

    /// Takes over what another device has changed before it knew that the object has moved.
    func mergeFormer(_ record: CKRecord) throws {
        guard var former = try former(of: record), former.tag != record.recordChangeTag else { return }
        let base = former.base
        (former.tag, former.deletion) = (record.recordChangeTag, .waitsForFetch)
        former.base = try model.row(of: record).map { MirroredBase($0) }
        session.put(former)
        guard var state = try session.record(former.key), state.export.pending != .delete,
            let theirs = try model.row(of: record), let object = try objects.object(state.key),
            object.entity.name == theirs.entity
        else { return }
        let merge = try merge(theirs, of: record, into: object, state, since: base)
        guard !merge.values.isEmpty || !merge.references.isEmpty else { return }
        state.export.note(.save)
        session.put(state)
    }
}
