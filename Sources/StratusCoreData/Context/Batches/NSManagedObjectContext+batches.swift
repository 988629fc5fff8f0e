import Foundation
import StratusCompatibility

extension NSManagedObjectContext {
    func execute(_ request: NSBatchInsertRequest) throws -> NSBatchInsertResult {
        let context = BatchContext(for: self)
        let entity = try batchEntity(request.entity(in:), request.entityName)
        context.storeForNew = request.affectedStores?.first { !$0.isReadOnly && $0.contains(entity) }
        let origin = SaveOrigin(of: self)
        let (ids, count) = try context.performAndWait { () -> (ids: [NSManagedObjectID], count: Int) in
            if let handler = request.managedObjectHandler {
                let ids = try context.insertObjects(of: entity, handler)
                return (ids, ids.count)
            }
            let rows = Array(BatchRows(request.source))
            let insertion = try BatchInsertion(of: entity, context)
            if let done = try insertion?.insert(rows, origin, returnsIDs: request.resultType == .objectIDs) {
                return done
            }
            let ids = try context.insertObjects(of: entity, rows)
            return (ids, ids.count)
        }
        switch request.resultType {
        case .statusOnly: return NSBatchInsertResult(true, .statusOnly)
        case .objectIDs: return NSBatchInsertResult(ids, .objectIDs)
        case .count: return NSBatchInsertResult(count, .count)
        }
    }

    func execute(_ request: NSBatchUpdateRequest) throws -> NSBatchUpdateResult {
        let context = BatchContext(for: self)
        let entity = try batchEntity(request.entity(in:), request.entityName)
        var settings = FetchSettings()
        settings.predicate = request.predicate
        settings.affectedStores = request.affectedStores
        settings.includesSubentities = request.includesSubentities
        let ids = try context.performAndWait { [settings] in
            let objects = try context.objects(of: entity, settings)
            for object in objects { try context.update(object, request.propertiesToUpdate ?? [:]) }
            try context.save()
            return objects.map(\.objectID)
        }
        switch request.resultType {
        case .statusOnlyResultType: return NSBatchUpdateResult(true, .statusOnlyResultType)
        case .updatedObjectIDsResultType: return NSBatchUpdateResult(ids, .updatedObjectIDsResultType)
        case .updatedObjectsCountResultType: return NSBatchUpdateResult(ids.count, .updatedObjectsCountResultType)
        }
    }

    func execute(_ request: NSBatchDeleteRequest) throws -> NSBatchDeleteResult {
        let context = BatchContext(for: self)
        var settings = request.fetchRequest.settings
        settings.affectedStores = request.affectedStores ?? settings.affectedStores
        let entity = try batchEntity({ settings.subject.entity(in: $0) }, settings.entityName ?? "")
        let ids = try context.performAndWait { [settings] in
            let objects = try context.objects(of: entity, settings)
            for object in objects { context.delete(object) }
            try context.validateDeletions()
            try context.save()
            return objects.map(\.objectID)
        }
        switch request.resultType {
        case .resultTypeStatusOnly: return NSBatchDeleteResult(true, .resultTypeStatusOnly)
        case .resultTypeObjectIDs: return NSBatchDeleteResult(ids, .resultTypeObjectIDs)
        case .resultTypeCount: return NSBatchDeleteResult(ids.count, .resultTypeCount)
        }
    }

    private func batchEntity(
        _ find: (NSManagedObjectModel) -> NSEntityDescription?, _ name: String
    ) throws -> NSEntityDescription {
        guard let coordinator else { throw CocoaError.make(.coreData, "the context has no coordinator") }
        guard let entity = find(coordinator.managedObjectModel) else {
            throw CocoaError.make(.coreData, "the model has no entity '\(name)'")
        }
        return entity
    }
}

extension BatchContext {
    /// Inserts rows by means of objects, and returns the IDs of these and of the stored ones that took over their values.
    fileprivate func insertObjects(
        of entity: NSEntityDescription, _ rows: [[String: Any]]
    ) throws -> [NSManagedObjectID] {
        var inserted: [NSManagedObject] = []
        for values in rows {
            let object = insertObject(of: entity, NSManagedObject.self)
            try set(values, of: object)
            inserted.append(object)
        }
        return try saveObjects(inserted)
    }

    /// Inserts rows by means of objects of the program's class, which a block gives their values.
    fileprivate func insertObjects(
        of entity: NSEntityDescription, _ handler: (NSManagedObject) -> Bool
    ) throws -> [NSManagedObjectID] {
        var inserted: [NSManagedObject] = []
        while true {
            let object = insertObject(of: entity, entity.objectClass)
            guard !handler(object) else {
                forget(object)
                return try saveObjects(inserted)
            }
            inserted.append(object)
        }
    }

    private func insertObject(of entity: NSEntityDescription, _ type: NSManagedObject.Type) -> NSManagedObject {
        let object = type.init(entity: entity, insertInto: self)
        if let storeForNew { assign(object, to: storeForNew) }
        return object
    }

    private func saveObjects(_ inserted: [NSManagedObject]) throws -> [NSManagedObjectID] {
        try save()
        // An object that gave way to another one has no row.
        return inserted.map(\.objectID).filter { !$0.isTemporaryID } + replaced.map(\.objectID)
    }

    /// Sets values by the names of properties. Destinations are objects of other contexts, or IDs.
    fileprivate func set(_ values: [String: Any], of object: NSManagedObject) throws {
        for (key, value) in values { try set(value, forKey: key, of: object) }
    }

    private func set(_ value: Any, forKey key: String, of object: NSManagedObject) throws {
        let name = "'\(key)' of entity '\(object.entity.name ?? "")'"
        guard let position = object.table.position(of: key) else {
            throw CocoaError.make(.coreData, "\(name) does not exist")
        }
        switch object.table.properties[position].kind {
        case .toMany: throw CocoaError.make(.coreData, "\(name) is to-many and cannot be set in a batch")
        case .toOne(let relationship):
            if value is NSNull { return object.setValue(nil, forKey: key) }
            guard let id = (value as? NSManagedObject)?.objectID ?? value as? NSManagedObjectID,
                relationship.destinationEntity.map({ id.entity.isKindOf(entity: $0) }) ?? false
            else { throw CocoaError.make(.coreData, "\(name) cannot lead to \(value)") }
            object.setValue(self.object(with: id), forKey: key)
        case .attribute(let attribute):
            guard value is NSNull || AttributeConversion.value(value, for: attribute.attributeType) != nil else {
                throw CocoaError.make(.coreData, "\(name) cannot hold a \(type(of: value))")
            }
            try object.validateRange(of: value, attribute)
            object.setValue(value, forKey: key)
        }
    }

    /// Sets new values: constants, or expressions over the values that the object had before.
    fileprivate func update(_ object: NSManagedObject, _ values: [AnyHashable: Any]) throws {
        let new = values.map { key, value in
            ((key.base as? NSPropertyDescription)?.name ?? String(describing: key.base), evaluated(value, object))
        }
        for (key, value) in new { try set(value, forKey: key, of: object) }
    }

    private func evaluated(_ value: Any, _ object: NSManagedObject) -> Any {
        guard let expression = value as? any ExpressionEvaluating else { return value }
        return expression.value(for: object) ?? NSNull()
    }
}

/// Lets expressions be evaluated without naming their class, which would bring Foundation's warning.
private protocol ExpressionEvaluating {
    func value(for object: Any) -> Any?
}

@available(*, deprecated, message: "NSExpression is deprecated in Foundation on Linux.")
extension NSExpression: ExpressionEvaluating {
    fileprivate func value(for object: Any) -> Any? { expressionValue(with: object, context: nil) }
}

/// The rows of a batch insertion, one after the other.
private struct BatchRows: Sequence, IteratorProtocol {
    private let source: NSBatchInsertRequest.Source
    private var index = 0

    init(_ source: NSBatchInsertRequest.Source) { self.source = source }

    mutating func next() -> [String: Any]? {
        switch source {
        case .dictionaries(let dictionaries):
            defer { index += 1 }
            return index < dictionaries.count ? dictionaries[index] : nil
        case .dictionaryHandler(let handler):
            let row = BatchRow()
            return handler(row) ? nil : row.values
        case .managedObjectHandler: return nil
        }
    }
}
