import Foundation

// Newer rows of objects that have changes.
extension NSManagedObject {
    /// Takes a newer row as the base of the object's changes.
    /// - Parameter storeWins: Whether changes of properties that have also changed in the row are lost.
    /// - Parameter keepsAll: Whether properties without changes keep their values, too, which are then changes.
    func rebase(on row: StoredRow, storeWins: Bool = false, keepsAll: Bool = false) {
        let formerRow = self.row
        self.row = row
        guard !states.isEmpty else { return }
        var current: [Int: PropertyState] = [:]
        for position in states.indices where !table.properties[position].isTransient {
            let former = changes?.committed[position]
            if keepsAll, !table.properties[position].isToMany {
                changesToWrite.committed[position] = storedState(at: position)
                continue
            }
            if former != nil { current[position] = states[position] }
            guard let former, !former.isSame(as: states[position]),
                !(storeWins && rows(formerRow, row, differAt: position))
            else {
                changes?.committed[position] = nil
                states[position] = .stored
                continue
            }
            let base = storedState(at: position)
            changes?.committed[position] = base
            states[position] = Self.merged(states[position], former, onto: base)
        }
        for (position, state) in current { relink(at: position, from: state) }
    }

    /// Makes the other ends of a to-one relationship agree with the object after its base has changed: the object that
    /// it led to before, and the one that the store leads to.
    private func relink(at position: Int, from former: PropertyState) {
        guard case .toOne(let relationship) = table.properties[position].kind,
            let inverse = relationship.inverseRelationship
        else { return }
        let current = state(at: position)
        updateInverse(of: table.properties[position], from: former, to: current)
        guard case .object(let stored) = storedState(at: position), !current.leads(to: stored), !stored.isDeleted else {
            return
        }
        stored.readAgain(inverse.name, ifWithout: self)
        stored.unlink(self, from: inverse.name)
    }

    /// Forgets what was read of a relationship if it does not lead to an object whose newer row leads here. Changes stay.
    private func readAgain(_ relationship: String, ifWithout object: NSManagedObject) {
        guard let position = table.position(of: relationship), states.indices.contains(position) else { return }
        guard let former = changes?.committed[position] else {
            if !states[position].leads(to: object) { states[position] = .stored }
            return
        }
        guard !former.leads(to: object) else { return }
        let base = storedState(at: position)
        changes?.committed[position] = base
        states[position] = Self.merged(states[position], former, onto: base)
    }

    private func rows(_ former: StoredRow?, _ row: StoredRow, differAt position: Int) -> Bool {
        guard let former, let places = managedObjectContext?.mapping(of: self)?.places else { return false }
        switch places[position] {
        case .none, .toMany: return false
        case .value(let index): return former.values[index] != row.values[index]
        case .composite(let elements):
            return elements.contains { former.values[$0.position] != row.values[$0.position] }
        }
    }

    /// Returns what a changed property becomes on a new base: of a to-many relationship that the base has changed, the
    /// destinations that were added, behind the others, and without those that were removed.
    private static func merged(
        _ current: PropertyState, _ former: PropertyState, onto base: PropertyState
    ) -> PropertyState {
        guard case .objects(var merged) = base, !base.isSame(as: former) else { return current }
        for object in former.destinations where !current.leads(to: object) { merged.remove(object) }
        for object in current.destinations where !former.leads(to: object) { merged.insert(object) }
        return .objects(merged)
    }
}
