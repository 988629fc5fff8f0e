import StratusSQLite

/// Checks that the rows of a migrated store have the values that only the new model requires.
struct MandatoryValues {
    private let transformation: StoreTransformation

    init(_ transformation: StoreTransformation) { self.transformation = transformation }

    func check() throws {
        for pair in transformation.pairs {
            let entity = try transformation.destination.entity(pair.destination.name ?? "")
            let formerProperties = pair.source.propertiesByName
            for property in MappingInference.stored(pair.destination)
            where !property.isOptional && !(property is NSDerivedAttributeDescription) {
                let former = pair.properties[property.name].flatMap { formerProperties[$0] }
                guard former?.isOptional ?? true, let position = entity.positions[property.name] else { continue }
                let column = quoted(entity.properties[position].column)
                let missing = try transformation.file.connection.prepare(
                    "SELECT 1 FROM \(quoted(entity.table)) WHERE Z_ENT = ? AND \(column) IS NULL LIMIT 1"
                ).first(entity.number) { _ in true }
                guard missing == nil else {
                    let kind = property is NSRelationshipDescription ? "relationship" : "attribute"
                    throw StoreTransformation.error(
                        "Validation error missing \(kind) values on mandatory destination \(kind)", entity.name,
                        property.name)
                }
            }
        }
    }
}
