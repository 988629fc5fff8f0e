import CloudKit

/// Waits for what a call tells a handler that takes a value or an error.
/// - Throws: the error.
func answer<Value: Sendable>(
    _ call: (@escaping @Sendable (Value?, (any Error)?) -> Void) -> Void
) async throws -> Value? {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value?, any Error>) in
        call { value, error in
            if let error {
                continuation.resume(throwing: error)
            } else {
                continuation.resume(returning: value)
            }
        }
    }
}

/// Waits for what a call tells a handler that takes a result.
/// - Throws: the error of the result.
func result<Value: Sendable>(
    _ call: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
) async throws -> Value {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
        call { continuation.resume(with: $0) }
    }
}

/// The codes of the items of a partial failure, by what stands for the items.
func partialCodes<ID: Hashable>(of error: (any Error)?, as type: ID.Type) -> [ID: CKError.Code] {
    guard let error = error as? CKError, error.code == .partialFailure else { return [:] }
    var codes: [ID: CKError.Code] = [:]
    for (key, value) in error.partialErrorsByItemID ?? [:] {
        if let id = key.base as? ID { codes[id] = (value as? CKError)?.code }
    }
    return codes
}
