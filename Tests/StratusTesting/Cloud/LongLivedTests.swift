import CloudKit
import StratusTesting
import Testing

@Suite struct LongLivedTests {
    @Test func aWriteWhoseAnswerIsLostIsDoneOnce() async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        let operation = CKModifyRecordsOperation(recordsToSave: [note("a")])
        operation.configuration.isLongLived = true
        cloud.faults.inject(.dropAfterCommit, on: .saveRecords)
        let (steps, step) = AsyncStream.makeStream(of: String.self)
        operation.longLivedOperationWasPersistedBlock = { step.yield("persisted") }
        operation.modifyRecordsResultBlock = { result in
            step.yield(result.code == nil ? "saved" : "\(result)")
            step.finish()
        }
        ada.container.privateCloudDatabase.add(operation)
        #expect(await steps.reduce(into: []) { $0.append($1) } == ["persisted", "saved"])
        // A second save of a new record would be a conflict.
        #expect(cloud.requests(.saveRecords).count == 2, "it was sent again")
        #expect(try await cloud.records(of: ada).count == 1)
    }

    @Test func theyAreTheDevicesAndWaitForTheirBlocks() async throws {
        let cloud = try await LocalCloud()
        let (phone, laptop) = (cloud.account("ada").device("phone"), cloud.account("ada").device("laptop"))
        let operation = CKModifyRecordsOperation(recordsToSave: [note("a")])
        operation.configuration.isLongLived = true
        cloud.clock.stop()
        cloud.faults.inject(.latency(.seconds(1)), on: .saveRecords)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        operation.completionBlock = { end.finish() }
        phone.container.privateCloudDatabase.add(operation)
        await cloud.clock.untilWaiting()
        #expect(try await phone.container.allLongLivedOperationIDs() == [operation.operationID])
        #expect(try await phone.container.longLivedOperation(for: operation.operationID) === operation)
        #expect(try await laptop.container.allLongLivedOperationIDs().isEmpty)
        cloud.clock.advance(by: .seconds(1))
        for await _ in ends {}
        #expect(try await phone.container.allLongLivedOperationIDs().isEmpty)
    }
}
