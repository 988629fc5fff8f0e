import Dispatch

/// Runs async work for callers with a completion handler.
///
/// Handlers run on a queue of Dispatch, so that one that waits keeps no thread of Swift's pool.
enum Completion {
    private static let queue = DispatchQueue(label: "org.stratus.cloudkit.completion", attributes: .concurrent)

    static func run<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value,
        _ handler: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        Task {
            let result: Result<Value, any Error>
            do { result = .success(try await work()) } catch { result = .failure(error) }
            queue.async { handler(result) }
        }
    }

    /// For handlers that take a value or an error.
    static func run<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value,
        _ handler: @escaping @Sendable (Value?, (any Error)?) -> Void
    ) {
        run(work) { result in
            switch result {
            case .success(let value): handler(value, nil)
            case .failure(let error): handler(nil, error)
            }
        }
    }

    /// For handlers that take a value that may be missing, or an error.
    static func optional<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value?,
        _ handler: @escaping @Sendable (Value?, (any Error)?) -> Void
    ) {
        run(work) { (result: Result<Value?, any Error>) in
            switch result {
            case .success(let value): handler(value, nil)
            case .failure(let error): handler(nil, error)
            }
        }
    }
}
