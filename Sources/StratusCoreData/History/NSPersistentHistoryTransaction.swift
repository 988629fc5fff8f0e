import Foundation
import StratusCompatibility

// Only the call that makes a transaction sets its changes, before it returns it. Nothing changes from then on.
/// A save in the history of a store.
open class NSPersistentHistoryTransaction: NSObject, NSCopying, KeyValueReadable, @unchecked Sendable {
    /// The time of the save, by the clock of the machine that saved.
    public let timestamp: Date

    /// The changes of the save; nil if the request did not ask for them.
    public private(set) var changes: [NSPersistentHistoryChange]?

    /// The number of the transaction in its store. Numbers rise with time.
    public let transactionNumber: Int64

    /// The UUID of the store.
    public let storeID: String

    /// The bundle identifier of the program that saved; empty if it has none, as usual on Linux.
    public let bundleID: String

    /// The name of the process that saved.
    public let processID: String

    /// The name of the context that saved.
    public let contextName: String?

    /// The `transactionAuthor` of the context that saved.
    public let author: String?

    init(_ stored: StoredTransaction, storeID: String) {
        timestamp = stored.date
        transactionNumber = stored.number
        self.storeID = storeID
        bundleID = stored.origin.bundleIdentifier ?? ""
        processID = stored.origin.process ?? ""
        contextName = stored.origin.contextName
        author = stored.origin.author
        super.init()
    }

    /// The transaction without its changes.
    var withoutChanges: NSPersistentHistoryTransaction {
        changes = nil
        return self
    }

    /// Takes the changes, which refer to the transaction.
    func take(_ changes: [NSPersistentHistoryChange]) -> Self {
        self.changes = changes
        return self
    }

    /// The position after the transaction, in its store.
    open var token: NSPersistentHistoryToken { NSPersistentHistoryToken([storeID: transactionNumber]) }

    /// Returns a notification with the IDs of the changed objects, for `mergeChanges(fromContextDidSave:)`.
    open func objectIDNotification() -> Notification {
        let keys: [NSPersistentHistoryChangeType: NSManagedObjectContext.NotificationKey] = [
            .insert: .insertedObjectIDs, .update: .updatedObjectIDs, .delete: .deletedObjectIDs,
        ]
        let groups = Dictionary(grouping: changes ?? [], by: \.changeType)
        var userInfo: [AnyHashable: Any] = [:]
        for (type, changes) in groups {
            if let key = keys[type] { userInfo[key.rawValue] = Set(changes.map(\.changedObjectID)) }
        }
        return Notification(
            name: NSManagedObjectContext.didSaveObjectIDsNotification, object: self, userInfo: userInfo)
    }

    /// The entity that requests for transactions are made with, for `fetchHistory(withFetch:)`.
    open class var entityDescription: NSEntityDescription? { HistoryEntities.shared.transaction }

    /// A new request for transactions.
    open class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
        HistoryEntities.request(entityDescription)
    }

    /// Returns the entity that requests for transactions are made with.
    open class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? {
        entityDescription
    }

    /// Returns the transaction itself, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns a property for predicates and sort descriptors.
    open func value(forKey key: String) -> Any? {
        switch key {
        case "timestamp": timestamp
        case "changes": changes
        case "transactionNumber": transactionNumber
        case "storeID": storeID
        case "bundleID": bundleID
        case "processID": processID
        case "contextName": contextName
        case "author": author
        case "token": token
        default: nil
        }
    }
}
