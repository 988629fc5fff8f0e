import CloudKit

/// A program's own operation, over one of CloudKit's.
private final class Step: Operation, @unchecked Sendable {
    override func main() { print(isCancelled) }
}

/// What all operations have, as programs use it. Compiled, not run.
enum OperationSurface {
    static func configuration(_ container: CKContainer) -> CKOperation.Configuration {
        let configuration = CKOperation.Configuration()
        configuration.container = container
        configuration.qualityOfService = .background
        configuration.allowsCellularAccess = false
        configuration.isLongLived = false
        configuration.timeoutIntervalForRequest = 30
        configuration.timeoutIntervalForResource = 60
        // swift-format-ignore: NeverForceUnwrap
        return configuration.copy() as! CKOperation.Configuration
    }

    static func operation(_ operation: CKOperation, _ configuration: CKOperation.Configuration) -> CKOperation.ID {
        operation.configuration = configuration
        operation.configuration.qualityOfService = .utility
        operation.configuration.timeoutIntervalForRequest = 10
        operation.configuration = nil
        operation.qualityOfService = .userInitiated
        operation.queuePriority = .high
        operation.name = "surface"
        operation.longLivedOperationWasPersistedBlock = { print("persisted") }
        operation.completionBlock = nil
        let state = [operation.isReady, operation.isExecuting, operation.isFinished, operation.isCancelled]
        print(state, operation.group?.operationGroupID as Any)
        return operation.operationID
    }

    @available(*, deprecated)
    static func older(_ operation: CKOperation, _ container: CKContainer) {
        operation.container = container
        operation.allowsCellularAccess = true
        operation.isLongLived = true
        operation.timeoutIntervalForRequest = 10
        operation.timeoutIntervalForResource = 100
    }

    static func group(_ operation: CKOperation) throws -> CKOperationGroup? {
        let group = CKOperationGroup()
        group.name = "Upload"
        group.quantity = 3
        group.expectedSendSize = .megabytes
        group.expectedReceiveSize = .kilobytes
        group.defaultConfiguration = CKOperation.Configuration()
        group.defaultConfiguration.qualityOfService = .utility
        group.defaultConfiguration = nil
        operation.group = group
        let data = try NSKeyedArchiver.archivedData(withRootObject: group, requiringSecureCoding: true)
        return try NSKeyedUnarchiver.unarchivedObject(ofClass: CKOperationGroup.self, from: data)
    }

    static func queue(_ container: CKContainer, _ database: CKDatabase) {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let fetch = CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
        fetch.database = database
        let step = Step()
        step.addDependency(fetch)
        let block = BlockOperation { print("then") }
        block.addDependency(step)
        queue.addOperations([fetch, step, block], waitUntilFinished: false)
        queue.addOperation(CKQueryOperation())
        fetch.cancel()
        container.add(CKFetchRecordsOperation.fetchCurrentUserRecordOperation())
    }

    static func all() -> [CKOperation] {
        [
            CKModifyRecordsOperation(), CKFetchRecordsOperation(), CKQueryOperation(), CKModifyRecordZonesOperation(),
            CKFetchRecordZonesOperation(), CKFetchDatabaseChangesOperation(), CKFetchRecordZoneChangesOperation(),
            CKModifySubscriptionsOperation(), CKFetchSubscriptionsOperation(),
        ]
    }
}

/// A program's view model, whose closures are its own.
@MainActor private final class Model {
    private var titles: [String] = []
    private let database = CKContainer(identifier: "iCloud.org.example.surface").privateCloudDatabase

    func load() async throws {
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
        let (matches, _) = try await database.records(matching: query)
        titles = matches.compactMap { try? $0.1.get()["title"] as? String }
    }

    func save(_ record: CKRecord) {
        Task { [weak self] in
            do {
                let saved = try await self?.database.save(record)
                self?.titles.append(saved?["title"] ?? "")
            } catch let error as CKError where error.code == .serverRecordChanged {
                self?.titles.append(error.serverRecord?["title"] ?? "")
            } catch { print(error) }
        }
        database.fetch(withRecordID: record.recordID) { [weak self] record, _ in
            let title: String? = record?["title"]
            Task { @MainActor in self?.titles.append(title ?? "") }
        }
    }
}
