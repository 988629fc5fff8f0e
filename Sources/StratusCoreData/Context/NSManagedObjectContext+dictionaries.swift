import Foundation
import StratusCompatibility

extension NSManagedObjectContext {
    /// Returns the results of a fetch as dictionaries. Changes that are not saved are not among them, as with Apple.
    func dictionaries(_ settings: FetchSettings) throws -> [NSDictionary] {
        checkQueue()
        let entity = try entity(of: settings)
        guard let coordinator else { return [] }
        let stores = coordinator.stores(of: entity, settings.affectedStores)
        if stores.count == 1, let store = stores.first as? NSIncrementalStore {
            return try store.results(.dictionaryResultType, settings, entity, self).compactMap { $0 as? NSDictionary }
        }
        let columns = try ResultColumn.columns(settings.propertiesToFetch, entity)
        let dictionaries = FetchPlan.Dictionaries(
            columns: columns.map { ($0.name, $0.operand) },
            groupBy: try settings.propertiesToGroupBy?.map { try ResultColumn($0, entity).name } ?? [],
            having: settings.havingPredicate?.predicateTree.replacingObjects {
                ($0 as? NSManagedObject)?.objectID ?? $0
            },
            isDistinct: settings.returnsDistinctResults)
        let plan = try FetchPlan(settings, entity, .dictionaries(dictionaries))
        return try coordinator.dictionaries(plan, dictionaries, from: stores, in: rows).map { store, values in
            let found = columns.compactMap { column in
                values[column.name].flatMap { column.value($0, in: store, coordinator) }.map { (column.name, $0) }
            }
            return NSDictionary(dictionary: Dictionary(found, uniquingKeysWith: { $1 }))
        }
    }
}

/// A value of the dictionaries that a fetch returns.
private struct ResultColumn {
    let name: String
    let operand: PredicateOperand
    /// The attribute that the value is of; nil for objects and calculated values.
    private var attribute: NSAttributeDescription?
    /// The type of a calculated value.
    private var resultType = NSAttributeType.undefinedAttributeType

    /// The columns for the properties that a request names, or for all that are not to-many.
    static func columns(_ properties: [Any]?, _ entity: NSEntityDescription) throws -> [ResultColumn] {
        if let properties, !properties.isEmpty { return try properties.map { try ResultColumn($0, entity) } }
        return try entity.properties.filter { property in
            !property.isTransient && (property as? NSRelationshipDescription)?.isToMany != true
                && !(property is NSFetchedPropertyDescription) && !(property is NSCompositeAttributeDescription)
        }.map { try ResultColumn($0, entity) }
    }

    /// - Parameter property: A key path, or a description of an attribute, a to-one relationship or an expression.
    init(_ property: Any, _ entity: NSEntityDescription) throws {
        switch property {
        case let path as String:
            name = path
            operand = .keyPath(path)
            attribute = Self.attribute(at: path, of: entity)
        case let description as NSExpressionDescription:
            name = description.name
            operand = try Self.operand(of: description, entity)
            resultType = description.expressionResultType
            if case .keyPath(let path) = operand { attribute = Self.attribute(at: path, of: entity) }
        case let description as NSPropertyDescription:
            name = description.name
            operand = .keyPath(description.name)
            attribute = description as? NSAttributeDescription
        default: throw CocoaError.make(.coreData, "a \(type(of: property)) is not a property to fetch")
        }
    }

    /// The expression of a description. One without an expression stands for the property with its name.
    private static func operand(
        of description: NSExpressionDescription, _ entity: NSEntityDescription
    ) throws -> PredicateOperand {
        let name = description.name
        guard let expression = description.ownExpression else {
            if entity.propertiesByName[name] != nil { return .keyPath(name) }
            throw CocoaError.make(.coreData, "the expression description '\(name)' has no expression")
        }
        guard let operand = PredicateOperand(expression: expression) else {
            throw CocoaError.make(.coreData, "the expression of '\(name)' has no translation to SQL")
        }
        return operand
    }

    private static func attribute(at path: String, of entity: NSEntityDescription) -> NSAttributeDescription? {
        var (entity, keys) = (Optional(entity), path.split(separator: ".").map(String.init)[...])
        while let key = keys.popFirst() {
            if keys.isEmpty { return entity?.attributesByName[key] }
            entity = entity?.relationshipsByName[key]?.destinationEntity
        }
        return nil
    }

    /// Returns the value as programs see it; nil for null.
    func value(_ stored: StoredValue, in store: NSPersistentStore, _ coordinator: NSPersistentStoreCoordinator) -> Any?
    {
        if case .reference(let key) = stored { return coordinator.id(of: key, in: store) }
        if let attribute { return stored.value(of: attribute, in: nil) }
        let type = NSAttributeDescription()
        type.attributeType = resultType
        switch (resultType, stored) {
        case (.decimalAttributeType, .integer(let value)): return NSDecimalNumber(value: value)
        case (.decimalAttributeType, .double(let value)): return NSDecimalNumber(value: value)
        case (.integer16AttributeType, .double(let value)), (.integer32AttributeType, .double(let value)),
            (.integer64AttributeType, .double(let value)):
            return Int64(exactly: value.rounded(.towardZero)).map { NSNumber(value: $0) }
        case (.dateAttributeType, .double(let value)): return Date(timeIntervalSinceReferenceDate: value)
        case (_, .data(let value)): return value
        default: return stored.value(of: type, in: nil)
        }
    }
}
