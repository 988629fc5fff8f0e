import StratusCloudAssets
import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore
import StratusWorkers
import Synchronization

/// The rules of the cloud. Every door (web services, command line, tests in the process) comes through here.
///
/// All calls take the ``Caller`` first and throw `CloudError` for whole requests; what concerns one item of a request
/// stands in its place in the answer.
public final class CloudService: Sendable {
    let store: any CloudStore
    let environment: ServiceEnvironment
    let seals: Seals
    let schemas: SchemaCatalog
    let indexWork = IndexWork()
    let directory: Directory
    let passwords: PasswordHasher
    let signInAttempts = SignInAttempts()
    let signatures = SignatureMemory()
    /// What the operator set.
    public let configuration: ServiceConfiguration
    let throttle: Throttle
    /// Records refused for a quota, in the order of the scopes.
    let quotaRefusals = DatabaseScope.allCases.map { _ in RefusalCount() }
    let push = PushService()
    let webhooks = WebhookDesk()
    let sharedNewsDesk = SharedNewsDesk()
    let directoryErrands = DirectoryErrands()
    let mail = MailDesk()
    /// Tells the renewed tokens of answers apart.
    let answerNumber = Atomic<UInt64>(0)
    /// Grows with every change of who may do what in the console.
    let developerChanges = Atomic<UInt64>(0)
    /// Whether nobody owns the server, and the number of ``developerChanges`` for which that is known: strangers ask.
    let setUpNeed = Lock<(generation: UInt64, isThere: Bool)?>(nil)
    /// Tells what this run of the service changes from what others did; see ``HistoryMark``.
    let run: UInt64
    /// Milliseconds that deletions are told by change feeds.
    let tombstoneRetention: Int64
    let assets: any AssetStore
    /// What assets may cost.
    public let assetLimits: AssetLimits
    let registeredAssetDatabases = RegisteredAssetDatabases()
    let uploadTurns = UploadTurns()
    let provenAssets = ProvenAssets()
    /// See ``AppPasswordProof/Mark``.
    let appPasswordMarkKey: HMACSHA256
    /// Times that an asset was read and its bytes were not those that were stored.
    let damagedReads = RefusalCount()

    /// - Parameters:
    ///   - store: where everything lies.
    ///   - secret: 32 random bytes that sign tokens; the same as long as the data lives, kept apart from it.
    ///   - environment: clock, randomness and where failures of the engine are reported.
    ///   - configuration: the limits that an operator sets.
    ///   - tombstoneRetention: milliseconds that change feeds tell deletions; clients that stay away longer begin anew.
    ///   - assets: where the bytes of assets lie; in memory unless told otherwise, as tests want it.
    public init(
        store: any CloudStore, secret: [UInt8], environment: ServiceEnvironment = .system,
        passwords: PasswordHasher = PasswordHasher(), configuration: ServiceConfiguration = ServiceConfiguration(),
        tombstoneRetention: Int64 = ServiceLimits.tombstoneRetention, assets: any AssetStore = MemoryAssets(),
        assetLimits: AssetLimits = AssetLimits()
    ) {
        self.configuration = configuration
        throttle = Throttle(configuration.rates)
        self.store = store
        self.assets = assets
        self.assetLimits = assetLimits
        self.environment = environment
        self.passwords = passwords
        self.tombstoneRetention = tombstoneRetention
        run = environment.random.integer()
        seals = Seals(secret: secret)
        appPasswordMarkKey = HMACSHA256(key: environment.random.bytes(32))
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
    /// Milliseconds since 1970-01-01 UTC.
    public var now: Int64 { environment.now() }

    /// What changes of databases made now are known by.
    var changeOrigin: ChangeOrigin { ChangeOrigin(run: run, now: environment.now()) }

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
        if error is SchemaCatalog.Outdated {
            return CloudError(.tryAgainLater, "the schema was changed meanwhile; try again", retryAfter: 1)
        }
        environment.report(error)
        if let failure = error as? AssetStoreError { return CloudError(failure) }
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
