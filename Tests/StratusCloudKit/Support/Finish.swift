import CloudKit

/// Runs an operation to its end.
/// - Throws: what its result block is told.
func finish(_ operation: CKModifyRecordsOperation, in database: CKDatabase) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        operation.modifyRecordsResultBlock = { continuation.resume(with: $0) }
        database.add(operation)
    }
}

/// Runs an operation to its end, whatever blocks it has.
func end(of operation: Operation, _ add: (Operation) -> Void) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        operation.completionBlock = { continuation.resume() }
        add(operation)
    }
}
