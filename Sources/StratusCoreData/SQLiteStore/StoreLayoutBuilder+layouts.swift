import Foundation
import StratusCompatibility

// The layouts of entities, with what they inherit.
extension StoreLayoutBuilder {
    func properties(of entity: NSEntityDescription) -> [PropertyLayout] {
        let own = declared[entity.name ?? ""] ?? []
        let names = Set(own.map(\.name))
        let inherited = superentity(of: entity).map(properties) ?? []
        return inherited.filter { !names.contains($0.name) } + own
    }

    func constraints(of entity: NSEntityDescription) throws -> [EntityLayout.Constraint] {
        let all = properties(of: entity)
        return try entity.uniquenessConstraints.map { constraint in
            let names = constraint.map(NSEntityDescription.constraintKey)
            let positions = try names.map { name in
                guard let position = all.firstIndex(where: { $0.name == name }) else {
                    throw StoreFailure(
                        .unsupported,
                        "entity '\(entity.name ?? "")': the uniqueness constraint names '\(name)', which is not stored")
                }
                return position
            }
            return EntityLayout.Constraint(entity: declarer(of: names, entity).name ?? "", positions: positions)
        }
    }

    func declarer(of constraint: [String], _ entity: NSEntityDescription) -> NSEntityDescription {
        guard let parent = superentity(of: entity),
            parent.uniquenessConstraints.contains(where: { $0.map(NSEntityDescription.constraintKey) == constraint })
        else { return entity }
        return declarer(of: constraint, parent)
    }

    func layouts() throws -> [EntityLayout] {
        try entities.map { entity in
            let root = root(of: entity).name ?? ""
            return EntityLayout(
                name: entity.name ?? "", number: try number(entity), root: root,
                superentity: superentity(of: entity)?.name, isAbstract: entity.isAbstract,
                table: tables[root]?.name ?? "", family: family(of: entity), properties: properties(of: entity),
                toMany: toMany(of: entity), constraints: try constraints(of: entity),
                history: HistoryProperties(entity), derived: derived(of: entity))
        }
    }

    func derived(of entity: NSEntityDescription) -> [DerivedLayout] {
        let attributes = entity.attributesByName
        return properties(of: entity).enumerated().compactMap { position, property in
            guard let attribute = attributes[property.name] as? NSDerivedAttributeDescription,
                let expression = attribute.expression.flatMap(PredicateOperand.init(expression:))
            else { return nil }
            return DerivedLayout(position: position, expression: expression)
        }
    }

    func toMany(of entity: NSEntityDescription) -> [String: ToManyLayout] {
        (superentity(of: entity).map(toMany) ?? [:]).merging(toMany[entity.name ?? ""] ?? [:]) { $1 }
    }
}
