import CloudKit
import CoreData

/// Two files: the catalogue, which is kept the same as the public database, and the person's memos about it, which are
/// kept the same as the private one. Each has a configuration of the model.
struct CatalogueStore {
    let container: NSPersistentCloudKitContainer

    init(_ path: String) throws {
        container = NSPersistentCloudKitContainer(name: "Catalogue")
        let identifier = CKContainer.default().containerIdentifier ?? ""
        container.persistentStoreDescriptions = [
            Self.description(.public, "public", path, identifier),
            Self.description(.private, "private", path + "-memos", identifier),
        ]
        nonisolated(unsafe) var failure: (any Error)?
        // The stores are opened before the call returns.
        container.loadPersistentStores { failure = failure ?? $1 }
        if let failure { throw failure }
        container.viewContext.automaticallyMergesChangesFromParent = true
    }

    private static func description(
        _ scope: CKDatabase.Scope, _ configuration: String, _ path: String, _ identifier: String
    ) -> NSPersistentStoreDescription {
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: path))
        description.configuration = configuration
        let options = NSPersistentCloudKitContainerOptions(containerIdentifier: identifier)
        options.databaseScope = scope
        description.cloudKitContainerOptions = options
        return description
    }

    /// Makes the server of a development environment learn the record types.
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
