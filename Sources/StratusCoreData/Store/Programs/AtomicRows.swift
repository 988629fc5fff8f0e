import Foundation
import StratusSQLite

/// Makes rows of the nodes of an atomic store.
struct AtomicRows {
    private let layout: StoreLayout
    private let store: NSPersistentStore

    init(_ layout: StoreLayout, _ store: NSPersistentStore) {
        self.layout = layout
        self.store = store
    }

    /// Returns the changes that insert the objects of nodes.
    func inserting(_ nodes: [NSAtomicStoreCacheNode]) throws -> RowChanges {
        var changes = RowChanges()
        var encoders: [ObjectIdentifier: ValueRows] = [:]
        for node in nodes.sorted(by: { $0.objectID.number < $1.objectID.number }) {
            let entity = node.objectID.entity
            guard let encoder = encoders[ObjectIdentifier(entity)] ?? encoder(entity) else {
                throw CocoaError.make(
                    .persistentStoreIncompatibleSchema, "the store has objects of '\(entity.name ?? "")'")
            }
            encoders[ObjectIdentifier(entity)] = encoder
            let key = node.objectID.key
            changes.inserted.append(try encoder.row(key, version: 0) { node.value(forKey: $0.name) })
            for toMany in encoder.mapping.layout.toMany.values {
                let members = ValueRows.ids(node.value(forKey: toMany.name)).map(\.key)
                guard toMany.isOrdered || !toMany.followsFromRows, !members.isEmpty else { continue }
                changes.toMany.append(
                    ToManyChange(
                        owner: key, relationship: toMany.name, added: toMany.followsFromRows ? [] : members,
                        order: toMany.isOrdered ? members : nil))
            }
        }
        return changes
    }

    private func encoder(_ entity: NSEntityDescription) -> ValueRows? {
        let table = PropertyTable(entity)
        return table.mapping(for: store).map { ValueRows(table: table, mapping: $0) }
    }
}

extension SQLiteRowStore {
    /// Returns a copy of the contents of a store in memory.
    func copyOfContents() throws -> SQLiteConnection {
        try access { file in
            let copy = try SQLiteConnection(path: ":memory:")
            try file.connection.copyContents(to: copy)
            return copy
        }
    }

    /// Gives a store in memory the contents of a copy.
    func takeContents(_ copy: SQLiteConnection) throws {
        try access { try copy.copyContents(to: $0.connection) }
    }
}
