import Foundation
import StratusSQLite

/// The files with external data that a save writes and those that it replaces.
final class ExternalChanges {
    var written: [String] = []
    var replaced: [String] = []
}

/// One save. Whatever it throws undoes all of it.
struct SaveTransaction {
    let layout: StoreLayout
    let file: StoreFile
    let store: SQLiteRowStore
    let external: ExternalChanges

    func run(_ changes: RowChanges) throws -> SavedRows {
        try checkVersions(changes)
        let history = store.recordsHistory ? try historyOf(changes) : []
        var derived = try DerivedColumns(changes, layout, file)
        try derived.note()
        for deletion in changes.deleted { try delete(deletion.key) }
        try checkUniqueness(changes)
        for update in changes.updated { try clearConstraints(update) }
        var versions: [RowKey: Int64] = [:]
        for update in changes.updated { versions[update.row.key] = try self.update(update) }
        try insert(changes.inserted)
        for change in changes.toMany { try apply(change) }
        if store.recordsHistory {
            try HistoryTables(file: file, layout: layout).add(history, changes.origin, at: Date())
        }
        try derived.note()
        try changes.work?(StoreTransaction(file: file))
        return SavedRows(versions: versions, derived: try derived.compute { try store.row($0, in: file) })
    }

    /// Returns the changes as the history has them. Called before rows are deleted, for their tombstones.
    private func historyOf(_ changes: RowChanges) throws -> [StoredChange] {
        var updated: [RowKey: Set<String>] = [:]
        for update in changes.updated {
            let entity = try layout.entity(update.row.key.entity)
            let names = update.changed.filter(entity.properties.indices.contains).map { entity.properties[$0].name }
            // Of a composite attribute the whole is named.
            updated[update.row.key, default: []].formUnion(names.map { String($0.prefix { $0 != "." }) })
        }
        let others = Set(changes.inserted.map(\.key) + changes.deleted.map(\.key))
        for change in changes.toMany where !others.contains(change.owner) {
            updated[change.owner, default: []].insert(change.relationship)
        }
        let deletions = try changes.deleted.map { deletion in
            let preserved = try layout.entity(deletion.key.entity).history.preserved
            let row = preserved.isEmpty ? nil : try store.row(deletion.key, in: file)
            var change = StoredChange(key: deletion.key, kind: .delete)
            for name in preserved {
                guard let position = try layout.entity(deletion.key.entity).positions[name] else { continue }
                if let value = row?.values[position], value != .null { change.tombstone[name] = value }
            }
            return change
        }
        let updates = updated.sorted { ($0.key.entity, $0.key.primaryKey) < ($1.key.entity, $1.key.primaryKey) }
        return changes.inserted.map { StoredChange(key: $0.key, kind: .insert) }
            + updates.map { StoredChange(key: $0.key, kind: .update, updated: $0.value) } + deletions
    }

    private func checkVersions(_ changes: RowChanges) throws {
        let expected =
            changes.updated.map { ($0.row.key, $0.row.version) } + changes.deleted.map { ($0.key, $0.version) }
            + changes.checked.map { ($0.key, $0.version) }
        var conflicts: [RowConflict] = []
        for (key, version) in expected {
            let entity = try layout.entity(key.entity)
            let current = try file.statement(store.statements(of: entity).version)
                .first(key.primaryKey, entity.number) { $0.integer(0) ?? 0 }
            guard current != version else { continue }
            conflicts.append(RowConflict(key: key, expected: version, stored: try store.row(key, in: file)))
        }
        guard conflicts.isEmpty else { throw SaveFailure.conflicts(conflicts) }
    }
}
