import Foundation
import StratusCoreData

// The zones of objects.
extension MirrorSession {
    /// Returns the state of an object, which waits for export if it is new.
    func record(of object: NSManagedObject) throws -> RecordRow? {
        guard let key = object.objectID.storedKey else { return nil }
        if let row = try record(key), row.zone != ZoneRow.noZone { return row }
        if let home, zones.count == 1 { return add(key, to: home.number) }
        return try assignZone(to: object, key)
    }

    private func add(_ key: StoredObjectKey, to zone: Int64) -> RecordRow {
        var row = RecordRow(key: key, zone: zone, name: UUID().uuidString, changed: Date())
        row.export.note(.save)
        put(row)
        return row
    }

    /// Gives an object and the new ones that it is related to a zone: that of a share if one of them is related to an
    /// object in a share, else the one for objects that are not shared. In the shared database they have no zone until
    /// one of them is related to a shared object.
    private func assignZone(to object: NSManagedObject, _ key: StoredObjectKey) throws -> RecordRow? {
        var members: [StoredObjectKey] = []
        var touched: Set<Int64> = []
        var known: Set<NSManagedObjectID> = []
        var waiting = [object]
        while let next = waiting.popLast() {
            guard known.insert(next.objectID).inserted, let key = next.objectID.storedKey else { continue }
            if let row = try record(key), row.zone != ZoneRow.noZone {
                touched.insert(row.zone)
            } else {
                members.append(key)
                waiting += next.relatedObjects
            }
        }
        let home = home?.number ?? ZoneRow.noZone
        let zone = touched.subtracting([home]).min() ?? home
        var moved: [RecordRow] = []
        for member in members {
            if let row = try record(member) {
                if zone != ZoneRow.noZone { moved.append(try move(row, to: zone)) }
            } else {
                _ = add(member, to: zone)
            }
        }
        try moveLinks(of: moved)
        return try record(key)
    }

    /// Moves the record of an object to a zone. The record in the former zone stays until the server has the new one.
    /// - Parameters:
    ///   - name: The name of the new record; nil for the former one, or one that follows from it if somebody else's
    ///     record has it.
    ///   - cleansUp: Whether this device deletes the record in the former zone. Only the one that has moved the object
    ///     does, because it knows what the new record has of the old one.
    @discardableResult
    func move(
        _ row: RecordRow, to zone: Int64, named name: String? = nil, cleansUp: Bool = true
    ) throws -> RecordRow {
        var moved = row
        moved.zone = zone
        moved.name = try name ?? freeName(for: row, in: zone)
        try moveWaiting(of: row, to: moved)
        if row.zone != ZoneRow.noZone {
            if cleansUp {
                let tag = try row.export.serverRecord()?.recordChangeTag
                put(FormerRecord(zone: row.zone, name: row.name, key: row.key, tag: tag, base: row.base))
            }
            (moved.export.server, moved.export.refused, moved.export.isListed) = (nil, nil, false)
        }
        moved.export.note(.save)
        removeFormer(moved.place)
        put(moved)
        if moved.name != row.name { try renameLinks(of: row, to: moved.name) { $0.zone != zone } }
        return moved
    }

    /// Moves the records of links to the zones where they belong after objects have moved.
    func moveLinks(of rows: [RecordRow]) throws {
        for row in rows {
            for link in try links(of: row) where link.export.pending != .delete {
                let other = link.first == row.name ? link.second : link.first
                guard let partner = try record(named: other, from: row.zone),
                    let zone = zone(linking: row, partner), zone != link.zone
                else { continue }
                try move(link, to: zone, key: row.key)
            }
        }
    }

    private func move(_ link: LinkRow, to zone: Int64, key: StoredObjectKey) throws {
        if link.zone != ZoneRow.noZone { put(FormerRecord(zone: link.zone, name: link.name, key: key)) }
        remove(link)
        guard try self.link(named: link.name, in: zone) == nil else { return }
        var moved = link
        moved.zone = zone
        moved.export = ExportState(revision: link.export.revision)
        moved.export.note(.save)
        removeFormer(moved.place)
        put(moved)
    }
}

extension NSManagedObject {
    /// The destinations of all relationships.
    var relatedObjects: [NSManagedObject] {
        entity.relationshipsByName.keys.sorted().flatMap { destinations(of: $0) }
    }

    /// The destinations of a relationship.
    func destinations(of relationship: String) -> [NSManagedObject] {
        switch value(forKey: relationship) {
        case let object as NSManagedObject: [object]
        case let objects as Set<NSManagedObject>: Array(objects)
        default: []
        }
    }
}
