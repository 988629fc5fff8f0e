import Foundation

extension StoreLayout {
    /// Makes the layout of entities of a model, as Apple's Core Data names tables and columns.
    /// - Parameter numbers: The numbers of the entities in an existing file; nil for a new one.
    convenience init(
        _ entities: [NSEntityDescription], numbers: [String: Int64]? = nil, external: ExternalFiles? = nil
    ) throws {
        var builder = try StoreLayoutBuilder(entities, numbers: numbers)
        try builder.addTables()
        try builder.addRelationships()
        try builder.addIndexes()
        self.init(try builder.layouts(), tables: builder.allTables, external: external)
    }
}
