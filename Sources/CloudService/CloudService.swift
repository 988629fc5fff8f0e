import CloudCrypto
import CloudModel
import CloudStore
import Synchronization
import Workers

/// The rules of the cloud. Every door (web services, command line, tests in the process) comes through here.
///
/// All calls take the ``Caller`` first and throw `CloudError` for whole requests; what concerns one item of a request
/// stands in its place in the answer.
public final class CloudService: Sendable {
    let store: any CloudStore
    let environment: ServiceEnvironment
    let seals: Seals
    let schemas: SchemaCatalog
    let directory: Directory
    let passwords: PasswordHasher
    let signInAttempts = SignInAttempts()
    let signatures = SignatureMemory()
    let push = PushService()
    /// Tells the renewed tokens of answers apart.
    let answerNumber = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - store: where everything lies.
    ///   - secret: 32 random bytes that sign tokens; the same as long as the data lives, kept apart from it.
    ///   - environment: clock, randomness and where failures of the engine are reported.
    public init(
        store: any CloudStore, secret: [UInt8], environment: ServiceEnvironment = .system,
        passwords: PasswordHasher = PasswordHasher()
    ) {
        self.store = store
        self.environment = environment
        self.passwords = passwords
        seals = Seals(secret: secret)
        schemas = SchemaCatalog(store: store)
        directory = Directory(store: store)
    }
}

/// What the service needs from outside and tests control.
public struct ServiceEnvironment: Sendable {
    /// Milliseconds since 1970-01-01 UTC.
    public var now: @Sendable () -> Int64
    /// Where random names and tokens come from.
    public var random: RandomSource
    /// Told of every failure whose details the caller must not see; ``RequestTrace`` says in which request.
    public var report: @Sendable (any Error) -> Void
    /// Tests make it small.
    var cascadeWork = CascadeWork()

    /// Makes an environment.
    public init(
        now: @escaping @Sendable () -> Int64, random: RandomSource,
        report: @escaping @Sendable (any Error) -> Void
    ) {
        self.now = now
        self.random = random
        self.report = report
    }

    /// The machine's clock and randomness; failures go nowhere.
    public static let system = ServiceEnvironment(now: SystemClock.milliseconds, random: .system, report: { _ in })
}

extension CloudService {
    /// Runs a transaction and turns what the engine throws into what callers may know.
    func reading<Result: Sendable>(
        _ partition: Partition, _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws(CloudError) -> Result {
        do {
            return try await store.read(partition, body)
        } catch {
            throw cloudError(from: error)
        }
    }

    /// As ``reading(_:_:)``, for writes.
    func writing<Result: Sendable>(
        _ partition: Partition, _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws(CloudError) -> Result {
        do {
            return try await store.write(partition, body)
        } catch {
            throw cloudError(from: error)
        }
    }

    /// The one place where failures of the engine become error codes.
    func cloudError(from error: any Error) -> CloudError {
        if let error = error as? CloudError { return error }
        environment.report(error)
        guard let failure = error as? StoreError else {
            return CloudError(.internalError, "internal error; the server's log has the details")
        }
        switch failure.code {
        case .diskFull:
            return CloudError(.tryAgainLater, "the server's disk is full; nothing was changed", retryAfter: 60)
        case .readOnly, .locked, .closed, .ioFailure:
            return CloudError(.tryAgainLater, "the server cannot write at the moment", retryAfter: 10)
        case .tooLarge:
            return CloudError(.badRequest, "request is too large: \(failure.message)")
        case .newerFormat, .otherEngine, .corrupted:
            return CloudError(.internalError, "internal error; the server's log has the details")
        }
    }
}
