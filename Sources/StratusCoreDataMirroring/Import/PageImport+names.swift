import Foundation
import StratusCoreData

// Names that records in several zones have.
extension PageImport {
    /// Lets the references and links of objects that are not shared wait for an object that has come, if they lead to
    /// another one whose record has the same name in a share.
    ///
    /// The record in the share may be that of a participant, who must not get hold of references by coming first.
    func release(from row: RecordRow) throws {
        guard session.rules.shareNames, session.zones.count > 1, row.zone == session.home?.number else { return }
        for number in session.zones.keys.sorted() where number != row.zone {
            guard let other = try session.record(named: row.name, exactlyIn: number),
                let object = try objects.object(other.key)
            else { continue }
            for (name, relationship) in object.entity.relationshipsByName.sorted(by: { $0.key < $1.key }) {
                guard let inverse = relationship.inverseRelationship, !inverse.isToMany else { continue }
                for source in object.destinations(of: name) {
                    try release(source, inverse.name, from: row.name)
                }
            }
            try releaseLinks(of: row, to: object)
        }
    }

    private func release(_ source: NSManagedObject, _ relationship: String, from name: String) throws {
        guard let state = try session.record(of: source), state.zone == session.home?.number,
            state.base?.references[relationship] == name
        else { return }
        session.put(
            WaitingReference(zone: state.zone, source: state.name, relationship: relationship, target: name))
        source.setValue(nil, forKey: relationship)
    }

    private func releaseLinks(of row: RecordRow, to other: NSManagedObject) throws {
        for var link in try session.links(of: row) where link.isApplied && link.zone == row.zone {
            let isFirst = link.first == row.name
            let partner = try objects.object(named: isFirst ? link.second : link.first, from: link.zone)
            guard let partner else { continue }
            let (first, second) = isFirst ? (other, partner) : (partner, other)
            guard first.canRefer(to: second, by: link.pair.firstRelationship) else { continue }
            first.mutableSetValue(forKey: link.pair.firstRelationship).remove(second)
            link.isApplied = false
            session.put(link)
        }
    }
}
