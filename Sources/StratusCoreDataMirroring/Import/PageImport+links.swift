import Foundation
import StratusCloudKit
import StratusCoreData

// Links of many-to-many relationships.
extension PageImport {
    func takeLink(_ record: CKRecord) throws {
        guard let pair = LinkedPair(record, in: model) else { return }
        guard try session.former(named: record.recordID.recordName, in: zone.number) == nil else { return }
        let known = try session.link(named: record.recordID.recordName, in: zone.number)
        var link = known ?? LinkRow(pair, record, zone: zone.number)
        link.export.takeLink(record)
        // A link that was removed here stays so, and its record waits for its deletion.
        if link.export.pending != .delete {
            link.export.pending = .nothing
            link.isApplied = try apply(pair, from: link.zone)
        }
        session.put(link)
    }

    /// Links objects whose records came after those of their links.
    func completeLinks(of row: RecordRow) throws {
        for var link in try session.links(of: row) where !link.isApplied && link.export.pending != .delete {
            link.isApplied = try apply(link.pair, from: link.zone)
            session.put(link)
        }
    }

    /// Removes a link whose record was deleted, unless another record has the same link.
    func unlink(_ link: LinkRow) throws {
        guard link.isApplied else { return }
        let pair = link.pair
        guard let row = try session.record(named: pair.first, from: link.zone),
            let (first, second) = try linked(pair, from: link.zone)
        else { return }
        let others = try session.links(of: row).contains {
            $0.export.pending != .delete && $0.isApplied && $0.pair == pair
        }
        guard !others else { return }
        first.mutableSetValue(forKey: pair.firstRelationship).remove(second)
    }

    /// Links the objects of a pair.
    /// - Returns: Whether both exist.
    private func apply(_ pair: LinkedPair, from zone: Int64) throws -> Bool {
        guard let (first, second) = try linked(pair, from: zone) else { return false }
        let set = first.mutableSetValue(forKey: pair.firstRelationship)
        if !set.contains(second) { set.add(second) }
        return true
    }

    private func linked(
        _ pair: LinkedPair, from zone: Int64
    ) throws -> (NSManagedObject, NSManagedObject)? {
        guard let first = try end(pair.first, zone), let second = try end(pair.second, zone),
            first.canRefer(to: second, by: pair.firstRelationship)
        else { return nil }
        return (first, second)
    }

    /// Returns the object that the record of a link names. One in the zone of a share reaches no other zone, because
    /// anybody who takes part may have written it.
    private func end(_ name: String, _ zone: Int64) throws -> NSManagedObject? {
        guard zone != session.home?.number else { return try objects.object(named: name, from: zone) }
        return try objects.object(named: name, exactlyIn: zone)
    }
}

extension NSManagedObject {
    /// Whether a relationship of the object may lead to another one.
    func canRefer(to target: NSManagedObject, by relationship: String) -> Bool {
        guard let destination = entity.relationshipsByName[relationship]?.destinationEntity else { return false }
        return target.entity.isKindOf(entity: destination)
    }
}
