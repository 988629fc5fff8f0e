import Foundation
import StratusCompatibility

/// The kinds of changes in a history, with Apple's numbers.
public enum NSPersistentHistoryChangeType: Int, Sendable {
    case insert = 0
    case update = 1
    case delete = 2
}

// Nothing is assigned after `init`. The weak reference becomes nil when the transaction goes, and may be
// read from every thread.
/// A change of one object in the history of a store.
open class NSPersistentHistoryChange: NSObject, NSCopying, KeyValueReadable, @unchecked Sendable {
    /// The number of the change in its store.
    public let changeID: Int64

    /// The ID of the object.
    public let changedObjectID: NSManagedObjectID

    /// The kind of the change.
    public let changeType: NSPersistentHistoryChangeType

    /// The values of a deleted object's attributes that the model preserves, by their names; nil for other changes.
    public let tombstone: [AnyHashable: Any]?

    /// The transaction; nil if the request asked for changes only.
    public private(set) weak var transaction: NSPersistentHistoryTransaction?

    /// The properties that an update changed; nil for other changes, and if they are not known.
    public let updatedProperties: Set<NSPropertyDescription>?

    init(_ stored: StoredChange, id: NSManagedObjectID, transaction: NSPersistentHistoryTransaction?) {
        changeID = stored.number
        changedObjectID = id
        changeType =
            switch stored.kind {
            case .insert: .insert
            case .update: .update
            case .delete: .delete
            }
        let properties = id.entity.propertiesByName
        updatedProperties = stored.updated.map { names in Set(names.compactMap { properties[$0] }) }
        let attributes = id.entity.attributesByName
        tombstone =
            stored.kind != .delete
            ? nil
            : Dictionary(
                uniqueKeysWithValues: stored.tombstone.compactMap { name, value in
                    attributes[name].flatMap { value.value(of: $0, in: nil) }.map { (AnyHashable(name), $0) }
                })
        self.transaction = transaction
        super.init()
    }

    /// The entity that requests for changes are made with, for `fetchHistory(withFetch:)`.
    open class var entityDescription: NSEntityDescription? { HistoryEntities.shared.change }

    /// A new request for changes.
    open class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
        HistoryEntities.request(entityDescription)
    }

    /// Returns the entity that requests for changes are made with.
    open class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? {
        entityDescription
    }

    /// Returns the change itself, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns a property for predicates and sort descriptors.
    open func value(forKey key: String) -> Any? {
        switch key {
        case "changeID": changeID
        case "changedObjectID": changedObjectID
        case "changedEntity": changedObjectID.entity
        case "changeType": changeType.rawValue
        case "tombstone": tombstone
        case "transaction": transaction
        case "updatedProperties": updatedProperties
        default: nil
        }
    }
}

// The properties never change, and neither do the entities, as their model is frozen.
/// The entities that stand for transactions and changes in fetch requests.
struct HistoryEntities: @unchecked Sendable {
    static let shared = HistoryEntities()

    let transaction: NSEntityDescription
    let change: NSEntityDescription
    private let model = NSManagedObjectModel()

    private init() {
        transaction = Self.entity(
            "Transaction",
            [
                ("timestamp", .dateAttributeType), ("author", .stringAttributeType), ("bundleID", .stringAttributeType),
                ("contextName", .stringAttributeType), ("processID", .stringAttributeType),
            ])
        change = Self.entity(
            "Change", [("changeID", .integer64AttributeType), ("changeType", .integer16AttributeType)])
        model.entities = [transaction, change]
        model.freeze()
    }

    private static func entity(_ name: String, _ attributes: [(String, NSAttributeType)]) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = attributes.map { name, type in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            return attribute
        }
        return entity
    }

    static func request(_ entity: NSEntityDescription?) -> NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = entity
        return request
    }
}
