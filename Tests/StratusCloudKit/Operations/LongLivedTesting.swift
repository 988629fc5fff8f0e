import CloudKit
import StratusTestSupport
import Testing

@testable import StratusCloudKit

/// Tests of long-lived operations, with a directory in which they are kept.
protocol LongLivedTesting {
    var state: TemporaryDirectory { get }
}

extension LongLivedTesting {
    var keys: FileKeyStore { FileKeyStore(directory: state.path + "/keys") }

    func inProcess(_ transport: any CloudTransport) -> CKContainer {
        CKContainer(identifier: "iCloud.x", transport: transport, keyStore: keys, stateDirectory: state.path)
    }

    /// Runs an operation up to its last block, or only until the cloud is done, as a process that is then killed.
    func runAndDie(
        _ operation: CKDatabaseOperation, _ database: CKDatabase, isFinishing: Bool = true
    ) async throws {
        operation.database = database
        operation.configuration.isLongLived = true
        #expect(try await operation.beginLongLived() == nil)
        try #require(operation.kept != nil)
        var result: Result<Void, any Error> = .success(())
        do { try await operation.run() } catch { result = .failure(error) }
        if isFinishing { await operation.keepEnd(result) }
        operation.kept = nil
    }
}
