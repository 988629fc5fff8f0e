import CloudKit
import StratusTesting
import Testing

/// Long-lived operations by the calls with completion handlers.
@Suite struct LongLivedHandlerTests {
    @Test func theyAreFoundByName() async throws {
        let cloud = try await LocalCloud()
        let container = cloud.account("ada").container
        let operation = CKModifyRecordsOperation(recordsToSave: [note("a")])
        operation.configuration.isLongLived = true
        cloud.clock.stop()
        cloud.faults.inject(.latency(.seconds(1)), on: .saveRecords)
        let (ends, ending) = AsyncStream.makeStream(of: Void.self)
        operation.completionBlock = { ending.finish() }
        container.privateCloudDatabase.add(operation)
        await cloud.clock.untilWaiting()
        let names = try await answer { container.fetchAllLongLivedOperationIDs(completionHandler: $0) }
        #expect(names == [operation.operationID])
        let found = try await answer {
            container.fetchLongLivedOperation(withID: operation.operationID, completionHandler: $0)
        }
        #expect(found === operation)
        cloud.clock.advance(by: .seconds(1))
        for await _ in ends {}
        #expect(try await answer { container.fetchAllLongLivedOperationIDs(completionHandler: $0) } == [])
        // Neither an operation nor an error.
        let absent = try await answer {
            container.fetchLongLivedOperation(withID: operation.operationID, completionHandler: $0)
        }
        #expect(absent == nil)
    }
}
