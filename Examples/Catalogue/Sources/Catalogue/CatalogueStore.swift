import CloudKit
import CoreData

/// The file with the catalogue, which is kept the same as the public database.
struct CatalogueStore {
    let container: NSPersistentCloudKitContainer

    init(_ path: String) throws {
        container = NSPersistentCloudKitContainer(name: "Catalogue")
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: path))
        let options = container.persistentStoreDescriptions.first?.cloudKitContainerOptions
        options?.databaseScope = .public
        description.cloudKitContainerOptions = options
        container.persistentStoreDescriptions = [description]
        nonisolated(unsafe) var failure: (any Error)?
        // The store is opened before the call returns.
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        container.viewContext.automaticallyMergesChangesFromParent = true
    }

    /// Makes the server of a development environment learn the record type.
    func initializeSchema() throws { try container.initializeCloudKitSchema() }

    /// Lets the server report changes at once. Only those with an account can have that; others see them within a minute.
    func subscribe() async throws {
        guard try await CKContainer.default().accountStatus() == .available else { return }
        let subscription = CKQuerySubscription(
            recordType: "CD_Entry", predicate: NSPredicate(value: true), subscriptionID: "catalogue")
        let information = CKSubscription.NotificationInfo()
        information.shouldSendContentAvailable = true
        subscription.notificationInfo = information
        try await CKContainer.default().publicCloudDatabase.save(subscription)
    }

    /// Prints what could not be sent or fetched.
    func printFailures() -> any NSObjectProtocol {
        NotificationCenter.default.addObserver(
            forName: NSPersistentCloudKitContainer.eventChangedNotification, object: container, queue: nil
        ) { notification in
            let key = NSPersistentCloudKitContainer.eventNotificationUserInfoKey
            guard let event = notification.userInfo?[key] as? NSPersistentCloudKitContainer.Event,
                let error = event.error as? NSError
            else { return }
            let isForbidden = CKError(_nsError: error).partialErrorsByItemID?.values.contains {
                ($0 as? CKError)?.code == .permissionFailure
            }
            printLine(isForbidden == true ? "! the server forbids the change" : "! \(error.localizedDescription)")
        }
    }
}
