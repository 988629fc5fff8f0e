import StratusSQLite

// To-many relationships.
extension SaveTransaction {
    func apply(_ change: ToManyChange) throws {
        guard let relationship = try layout.entity(change.owner.entity).toMany[change.relationship] else {
            throw StoreFailure(
                .misuse, "'\(change.relationship)' is not a stored to-many relationship of '\(change.owner.entity)'")
        }
        let destination = try layout.entity(relationship.destination)
        for key in change.added + (change.order ?? []) where !destination.family.contains(key.entity) {
            throw StoreFailure(.misuse, "'\(change.relationship)' cannot lead to a row of '\(key.entity)'")
        }
        let owner = change.owner.primaryKey
        switch relationship.place {
        case .column(let column, let order):
            let table = quoted(destination.table)
            let column = quoted(column)
            if relationship.inverse == nil {
                let remove = try file.statement(
                    "UPDATE \(table) SET \(column) = NULL WHERE Z_PK = ? AND \(column) = ?")
                for key in change.removed { try remove.run(key.primaryKey, owner) }
                let add = try file.statement("UPDATE \(table) SET \(column) = ? WHERE Z_PK = ?")
                for key in change.added { try add.run(owner, key.primaryKey) }
            }
            guard let order else { return }
            let place = try file.statement(
                "UPDATE \(table) SET \(quoted(order)) = ? WHERE Z_PK = ? AND \(column) = ?")
            for (index, key) in (change.order ?? []).enumerated() {
                try place.run(Self.place(index), key.primaryKey, owner)
            }
        case .table(let name, let ownerColumn, let memberColumn, let order):
            try apply(change, to: name, ownerColumn, memberColumn, order)
        }
    }

    private func apply(
        _ change: ToManyChange, to table: String, _ owner: String, _ member: String, _ order: String?
    ) throws {
        let here = change.owner.primaryKey
        let remove = try file.statement(
            "DELETE FROM \(quoted(table)) WHERE \(quoted(owner)) = ? AND \(quoted(member)) = ?")
        let add = try file.statement(
            "INSERT OR IGNORE INTO \(quoted(table)) (\(quoted(owner)), \(quoted(member))) VALUES (?, ?)")
        // A relationship that is its own inverse has each pair in both directions.
        let isReflexive = owner == "REFLEXIVE"
        for key in change.removed {
            try remove.run(here, key.primaryKey)
            if isReflexive { try remove.run(key.primaryKey, here) }
        }
        for key in change.added {
            try add.run(here, key.primaryKey)
            if isReflexive { try add.run(key.primaryKey, here) }
        }
        guard let order else { return }
        let place = try file.statement(
            "UPDATE \(quoted(table)) SET \(quoted(order)) = ? WHERE \(quoted(owner)) = ? AND \(quoted(member)) = ?")
        for (index, key) in (change.order ?? []).enumerated() { try place.run(Self.place(index), here, key.primaryKey) }
    }

    /// The stored place of a member. Apple's Core Data leaves room between places, too.
    private static func place(_ index: Int) -> Int64 { 2_048 + Int64(index) * 1_024 }
}
