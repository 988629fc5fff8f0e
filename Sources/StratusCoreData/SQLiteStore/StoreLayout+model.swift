import Foundation

extension StoreLayout {
    /// Makes the layout of entities of a model, as Apple's Core Data names tables and columns.
    /// - Parameter numbers: The numbers of the entities in an existing file; nil for a new one.
    /// - Parameter fileTables: The tables in an existing file, which may lack trees of ranges; nil for a new one.
    convenience init(
        _ entities: [NSEntityDescription], numbers: [String: Int64]? = nil, external: ExternalFiles? = nil,
        fileTables: Set<String>? = nil
    ) throws {
        var builder = try StoreLayoutBuilder(entities, numbers: numbers)
        try builder.addTables()
        try builder.addRelationships()
        try builder.addIndexes()
        var tables = builder.allTables
        if let fileTables {
            for index in tables.indices { tables[index].rTrees.removeAll { !fileTables.contains($0.name) } }
        }
        self.init(try builder.layouts(), tables: tables, external: external)
    }
}
