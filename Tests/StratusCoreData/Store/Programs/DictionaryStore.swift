import Foundation
import StratusCoreData

// `@unchecked Sendable`: a test uses a store on the queue of one context at a time.
/// A store of the family in dictionaries, as programs write them for services.
final class DictionaryStore: NSIncrementalStore, @unchecked Sendable {
    /// The objects by their references.
    private var rows: [String: (entity: String, version: UInt64, values: [String: Any])] = [:]
    private var lastNumber = 0
    private(set) var requests: [NSPersistentStoreRequestType] = []
    private(set) var reads: [String] = []
    private(set) var registered: Set<NSManagedObjectID> = []
    var failure: CocoaError?

    override func loadMetadata() throws {
        metadata = [NSStoreUUIDKey: UUID().uuidString, NSStoreTypeKey: type]
    }

    func key(_ id: NSManagedObjectID) -> String { referenceObject(for: id) as? String ?? "" }

    private func id(_ key: String, _ entity: NSEntityDescription?) -> NSManagedObjectID? {
        entity.map { newObjectID(for: $0, referenceObject: key) }
    }

    override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        requests.append(request.requestType)
        if let failure { throw failure }
        switch request {
        case let request as NSFetchRequest<any NSFetchRequestResult>: return fetch(request, context)
        case let request as NSSaveChangesRequest:
            save(request)
            return []
        default: throw CocoaError(.persistentStoreUnsupportedRequestType)
        }
    }

    private func fetch(
        _ request: NSFetchRequest<any NSFetchRequestResult>, _ context: NSManagedObjectContext?
    ) -> [Any] {
        var found = rows.filter { $0.value.entity == request.entityName }.sorted { $0.key < $1.key }
        if let predicate = request.predicate {
            found = found.filter { predicate.evaluate(with: NSDictionary(dictionary: $0.value.values)) }
        }
        if let sort = request.sortDescriptors?.first?.key {
            found.sort { ($0.value.values[sort] as? String ?? "") < ($1.value.values[sort] as? String ?? "") }
        }
        found = Array(found.dropFirst(request.fetchOffset))
        if request.fetchLimit > 0 { found = Array(found.prefix(request.fetchLimit)) }
        let ids = found.compactMap { id($0.key, request.entity) }
        switch request.resultType {
        case .countResultType: return [NSNumber(value: ids.count)]
        case .managedObjectIDResultType: return ids
        case .dictionaryResultType: return found.map { NSDictionary(dictionary: $0.value.values) }
        default: return ids.compactMap { context?.object(with: $0) }
        }
    }

    private func save(_ request: NSSaveChangesRequest) {
        for object in (request.insertedObjects ?? []).union(request.updatedObjects ?? []) {
            var values: [String: Any] = [:]
            for name in object.entity.attributesByName.keys { values[name] = object.value(forKey: name) }
            if let parent = object.entity.name == "Child" ? object.value(forKey: "parent") as? NSManagedObject : nil {
                values["parent"] = key(parent.objectID)
            }
            let key = key(object.objectID)
            rows[key] = (object.entity.name ?? "", (rows[key]?.version ?? 0) + 1, values)
        }
        for object in request.deletedObjects ?? [] { rows[key(object.objectID)] = nil }
    }

    override func newValuesForObject(
        with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        reads.append(key(objectID))
        guard let row = rows[key(objectID)] else { throw CocoaError(.managedObjectReferentialIntegrity) }
        let values = row.values.filter { $0.key != "parent" }
        return NSIncrementalStoreNode(objectID: objectID, withValues: values, version: row.version)
    }

    override func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        let own = key(objectID)
        if relationship.isToMany {
            let children = rows.filter { $0.value.values["parent"] as? String == own }.keys.sorted()
            return children.compactMap { id($0, relationship.destinationEntity) }
        }
        guard let parent = rows[own]?.values["parent"] as? String else { return NSNull() }
        return id(parent, relationship.destinationEntity) ?? NSNull()
    }

    override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        array.map { object in
            lastNumber += 1
            return newObjectID(for: object.entity, referenceObject: "key/\(lastNumber)")
        }
    }

    override func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {
        registered.formUnion(objectIDs)
    }

    override func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {
        registered.subtract(objectIDs)
    }
}
