import CloudKit
import StratusTesting
import Testing

/// An app that knows nothing of tests.
private struct App {
    let database = CKContainer.default().privateCloudDatabase

    func write(_ title: String) async throws { try await database.save(note("mine", in: .default, title)) }
}

@Suite struct UseTests {
    @Test("code that makes its own containers, many at the same time", arguments: 0..<8)
    func parallel(_ number: Int) async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        try await ada.use {
            let app = App()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await app.write("\(number)") }
                try await group.waitForAll()
            }
            let named = CKContainer(identifier: "iCloud.org.example.named")
            _ = try await Task { try await named.privateCloudDatabase.save(note("elsewhere")) }.value
        }
        #expect(try await cloud.records(of: ada).map { $0["title"] as? String } == ["\(number)"])
        #expect(try await cloud.records(of: ada, container: "iCloud.org.example.named").count == 1)
    }

    @Test func operationsRememberWhereTheyWereMade() async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        // Its database is the default container's, and the queue's threads know nothing of the task.
        let operation = ada.use { CKModifyRecordsOperation(recordsToSave: [note("a")], recordIDsToDelete: nil) }
        await withCheckedContinuation { continuation in
            operation.modifyRecordsResultBlock = { result in
                #expect(result.code == nil)
                continuation.resume()
            }
            OperationQueue().addOperation(operation)
        }
        #expect(try await cloud.records(of: ada).count == 1)
    }

    @Test func completionHandlersAndDevices() async throws {
        let cloud = try await LocalCloud()
        let phone = cloud.account("ada").device("phone")
        let error: (any Error)? = await withCheckedContinuation { continuation in
            phone.use {
                CKContainer.default().privateCloudDatabase.save(note("a")) { _, error in
                    continuation.resume(returning: error)
                }
            }
        }
        #expect(error == nil)
        #expect(cloud.requests.last?.device == "phone" && cloud.requests.last?.account == "ada")
        #expect(phone.use { CKContainer.default() } === phone.container)
    }
}
