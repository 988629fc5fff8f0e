import Foundation

/// Runs async work to its end; the benchmark's own thread waits meanwhile and does nothing else.
func waiting<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    let done = DispatchSemaphore(value: 0)
    let outcome = Outcome<Value>()
    Task {
        do { outcome.result = .success(try await body()) } catch { outcome.result = .failure(error) }
        done.signal()
    }
    done.wait()
    guard let result = outcome.result else { throw BenchmarkError("the work has no result") }
    return try result.get()
}

/// `@unchecked Sendable`: written before the semaphore is signalled, read after.
private final class Outcome<Value>: @unchecked Sendable {
    var result: Result<Value, any Error>?
}
