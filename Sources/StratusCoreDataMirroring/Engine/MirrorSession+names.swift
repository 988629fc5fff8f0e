import Foundation
import StratusCloudCrypto
import StratusCloudKit
import StratusCoreData

// The records that names stand for, also where somebody else's records have them.
extension MirrorSession {
    /// Returns the state of the object that a name in a zone stands for: the one in the same zone, else one whose record
    /// the person has made, else one of somebody else's record.
    func record(named name: String, from zone: Int64) throws -> RecordRow? {
        if let row = try record(named: name, exactlyIn: zone) { return row }
        guard rules.shareNames, zones.count > 1, let row = try anyRecord(named: name, besides: zone) else { return nil }
        guard zones.count > 2, try !isOwn(row) else { return row }
        for number in zones.keys.sorted() where number != zone && number != row.zone {
            if let other = try record(named: name, exactlyIn: number), try isOwn(other) { return other }
        }
        return row
    }

    /// Whether the name of an object stands for it in a zone, and not for the object of another record there: other
    /// people give the records that they save whatever names they want.
    func name(of row: RecordRow, reachesFrom zone: Int64) throws -> Bool {
        // Links that have no zone yet were made here.
        guard zone != row.zone, zone != ZoneRow.noZone else { return true }
        return try record(named: row.name, from: zone)?.key == row.key
    }

    /// Returns the name for the record of an object in a zone: the one that it has, unless another record has it there.
    func freeName(for row: RecordRow, in zone: Int64) throws -> String {
        var name = row.name
        while let zoneRow = zones[zone], try isTaken(name, in: zone, by: row.key) {
            name = Self.followingName(name, in: zoneRow)
        }
        return name
    }

    /// Returns the state of an object whose record another device has moved to a zone under a following name; nil if
    /// the name follows from that of no object.
    func record(namedAnew name: String, in zone: ZoneRow) throws -> RecordRow? {
        guard let home, zone.number != home.number, name.hasFormOfFollowingUUID else { return nil }
        for original in try read({ try $0.recordNames(in: home.number) }) {
            var following = Self.followingName(original, in: zone)
            while following != name, try record(named: following, exactlyIn: zone.number) != nil {
                following = Self.followingName(following, in: zone)
            }
            if following == name { return try record(named: original, exactlyIn: home.number) }
        }
        return nil
    }

    /// Gives the record of an object that this device is moving to a zone another name, if somebody else has saved a
    /// record of that name there first.
    func makeWay(for record: CKRecord, in zone: ZoneRow) throws {
        guard rules.shareNames, let home, zone.number != home.number,
            let row = try self.record(named: record.recordID.recordName, exactlyIn: zone.number),
            row.export.server == nil, try former(named: row.name, in: home.number)?.key == row.key, try !isOwn(record)
        else { return }
        var renamed = row
        repeat {
            renamed.name = Self.followingName(renamed.name, in: zone)
        } while try isTaken(renamed.name, in: zone.number, by: row.key)
        renamed.export.note(.save)
        put(renamed)
        try renameLinks(of: row, to: renamed.name) { $0.isApplied }
        try moveWaiting(of: row, to: renamed)
    }

    /// Whether the person has made a record. Somebody else must not draw objects into a share by their names, but may
    /// have changed a record since the person has moved it.
    func isOwn(_ record: CKRecord) throws -> Bool {
        guard let creator = record.creatorUserRecordID?.recordName else { return false }
        return try read { try $0.isPerson(creator) }
    }

    /// Whether the person has made the record of an object, or is about to.
    func isOwn(_ row: RecordRow) throws -> Bool { try row.export.serverRecord().map { try isOwn($0) } ?? true }

    /// Gives the links of an object the name that its record has now. Their own names follow from it, so that they are
    /// other records.
    func renameLinks(of row: RecordRow, to name: String, where isOfObject: (LinkRow) -> Bool) throws {
        for var link in try links(of: row) where link.export.pending != .delete && isOfObject(link) {
            var renamed = LinkRow(link.pair.renaming(row.name, to: name), zone: link.zone)
            renamed.isApplied = link.isApplied
            renamed.export.note(.save)
            put(renamed)
            link.export.note(.delete)
            link.isApplied = false
            put(link)
        }
    }

    /// Moves the references that wait for others along with their object.
    func moveWaiting(of row: RecordRow, to moved: RecordRow) throws {
        for reference in try waiting(of: row) {
            remove(reference)
            var changed = reference
            (changed.zone, changed.source) = (moved.zone, moved.name)
            put(changed)
        }
    }

    private func isTaken(_ name: String, in zone: Int64, by key: StoredObjectKey) throws -> Bool {
        guard let other = try record(named: name, exactlyIn: zone) else { return false }
        return other.key != key
    }

    /// Returns the name that takes the place of another one in a zone, the same on all devices.
    private static func followingName(_ name: String, in zone: ZoneRow) -> String {
        .uuid(following: "\(zone.zoneID.zoneName)/\(name)")
    }
}
