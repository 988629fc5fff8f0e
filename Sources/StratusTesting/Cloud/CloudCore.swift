import Foundation
import Glibc
import StratusCloudAssets
import StratusCloudCrypto
import StratusCloudKit
import StratusCloudModel
import StratusCloudService
import StratusCloudStore
import StratusWorkers

/// What all devices of a cloud share: the service, and everything that a test does to it. Holds no device, so that nothing
/// holds itself.
final class CloudCore: Sendable {
    struct CheckedOptions: Sendable {
        let container: ContainerIdentifier
        let environment: CloudEnvironment
        let changesPerPage: Int?
    }

    let options: CheckedOptions
    /// The server that runs now.
    var service: CloudService { running.withLock { $0 } }
    private let running: Lock<CloudService>
    private let makeService: @Sendable () -> CloudService
    let clock = TestClock()
    let faults = LocalCloud.Faults()
    let log: RequestLog
    let people = People()
    private let tokenEpoch = Lock(0)
    private let random: Lock<SeededRandom?>
    private let keyStores = Lock<[String: MemoryKeyStore]>([:])
    private let assetFiles = Lock<[String]>([])

    /// Passwords are made here, never checked, and as cheap as can be. Its thread is the only one of all clouds.
    private static let passwords = PasswordHasher(
        cost: PasswordHasher.Cost(memory: 8_192, passes: 1), threads: 1, capacity: .max)

    init(_ container: String, _ options: LocalCloud.Options) throws {
        let container = try Self.container(container)
        self.options = CheckedOptions(
            container: container, environment: options.environment == .production ? .production : .development,
            changesPerPage: options.changesPerPage)
        random = Lock(options.seed.map { SeededRandom(seed: $0) })
        let clock = clock
        log = RequestLog(clock: clock)
        let environment = ServiceEnvironment(now: { clock.milliseconds }, random: .system, report: { _ in })
        let (store, assets, secret) = (MemoryStore(), MemoryAssets(), RandomSource.system.bytes(32))
        let quotas = Quotas(publicRecords: options.publicQuota, privateRecords: options.privateQuota)
        makeService = {
            CloudService(
                store: store, secret: secret, environment: environment, passwords: Self.passwords,
                configuration: ServiceConfiguration(quotas: quotas), assets: assets)
        }
        running = Lock(makeService())
    }

    /// Starts another server over what is stored.
    func restart() { running.withLock { $0 = makeService() } }

    /// Files of assets that were fetched from here serve nobody any more.
    deinit { for path in assetFiles.withLock({ $0 }) { unlink(path) } }

    func start(_ schema: String?) async throws {
        do throws(CloudError) {
            try await prepare(options.container)
            if let schema { try await service.applySchema(schema, to: context(options.container)) }
        } catch {
            throw cloudKitError(.refused(error, requestUUID: nil), isMutating: true)
        }
    }

    /// - Throws: `CKError.badContainer` for a name that is none.
    static func container(_ name: String) throws -> ContainerIdentifier {
        guard let container = ContainerIdentifier(name) else {
            throw NSError.cloudKit(.noContainer(name), container: name, isMutating: false)
        }
        return container
    }

    /// A number from 0 to 1: what the library spreads its waits with.
    func chance() -> Double {
        random.withLock { random in
            guard random != nil else { return Double.random(in: 0...1) }
            return random?.unit() ?? 0
        }
    }

    func context(_ container: ContainerIdentifier) -> CloudContext {
        CloudContext(container: container, environment: options.environment)
    }

    func cloudKitError(_ error: CloudTransportError, isMutating: Bool) -> NSError {
        NSError.cloudKit(error, container: options.container.rawValue, isMutating: isMutating)
    }

    /// Makes what a request may rely on: the container, the people, and the places where their devices are notified.
    func prepare(_ container: ContainerIdentifier) async throws(CloudError) {
        try await people.prepare(container, service, options.environment)
    }

    /// Notes a file that goes with the cloud.
    func keep(_ file: LocalFile) { assetFiles.withLock { $0.append(file.path) } }

    /// The keys of a person's encrypted values, which all of their devices have, as Apple's keychain sees to.
    func keyStore(of account: String?) -> MemoryKeyStore {
        guard let account else { return MemoryKeyStore() }
        return keyStores.withLock { stores in
            if let store = stores[account] { return store }
            let store = MemoryKeyStore()
            stores[account] = store
            return store
        }
    }

    // MARK: Tokens

    /// Makes all tokens of change feeds that were given so far expire.
    func expireTokens() { tokenEpoch.withLock { $0 += 1 } }

    /// The limit of a page of a change feed: what the client wants, and no more than the cloud gives.
    func pageLimit(_ wanted: Int?) -> Int? { [wanted, options.changesPerPage].compactMap { $0 }.min() }

    /// A token as clients hold it: with the epoch in which it was given.
    func worn(_ token: String) -> String { "\(tokenEpoch.withLock { $0 }):\(token)" }

    /// The token as the service knows it.
    /// - Throws: `badRequest` with `changeTokenExpired` for one of an earlier epoch.
    func bare(_ token: String?) throws(CloudError) -> String? {
        guard let token else { return nil }
        let parts = token.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, Int(parts[0]) == tokenEpoch.withLock({ $0 }) else {
            throw CloudError(
                .badRequest, "the syncToken has expired: client knowledge differs from server knowledge",
                extensionCode: .changeTokenExpired)
        }
        return String(parts[1])
    }
}

extension CloudTransportError {
    /// A name that is none of a container.
    static func noContainer(_ name: String) -> CloudTransportError {
        .stated(.badContainer, "'\(name)' is no container identifier; they begin with 'iCloud.'.", retryAfter: nil)
    }
}
