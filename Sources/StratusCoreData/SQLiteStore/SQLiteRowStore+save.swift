import Foundation
import StratusSQLite

extension SQLiteRowStore {
    func save(_ changes: RowChanges) throws -> SavedRows {
        guard !isReadOnly else {
            throw StoreFailure(.readOnly, "the store is read-only, or has a history that is not to be kept")
        }
        return try access { file in
            let external = ExternalChanges()
            do {
                let saved = try file.connection.transaction {
                    try SaveTransaction(layout: layout, file: file, store: self, external: external).run(changes)
                }
                replacedFiles.remove(external.replaced)
                return saved
            } catch {
                layout.external?.remove(external.written)
                throw error
            }
        }
    }
}
