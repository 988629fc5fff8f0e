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
        let others = try session.links(of: row).contains { $0.export.pending != .delete && $0.pair == pair }
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
        guard let first = try objects.object(named: pair.first, from: zone),
            let second = try objects.object(named: pair.second, from: zone),
            first.canRefer(to: second, by: pair.firstRelationship)
        else { return nil }
        return (first, second)
    }
}

extension NSManagedObject {
    /// Whether a relationship of the object may lead to another one.
    func canRefer(to target: NSManagedObject, by relationship: String) -> Bool {
        guard let destination = entity.relationshipsByName[relationship]?.destinationEntity else { return false }
        return target.entity.isKindOf(entity: destination)
    }
}
