import Foundation
import StratusCloudAssets
import StratusCloudCrypto
import StratusCloudModel
import StratusCloudService
import StratusCloudStore
import StratusHTTPTransport
import StratusTelemetry
import StratusWorkers

@testable import StratusCloudServer

/// A cloud that serves on free ports, with a clock and a log that tests hold.
final class TestCloud: Sendable {
    static let container = "iCloud.org.example.app"
    static let email = "ada@example.org"
    static let password = "correct horse battery"
    /// 2026-01-01T00:00:00Z.
    static let start: Int64 = 1_767_225_600_000

    let service: CloudService
    let store: any CloudStore
    let server: CloudServer
    let registry = MetricsRegistry()
    let clock = Lock(TestCloud.start)
    let log: TestLog
    let client: RawClient
    let admin: RawClient?
    let apiToken: String

    /// - Parameter host: where it listens. A test that expects nobody there afterwards takes an address that no
    ///   other test does: a port that is given back may be the next server's.
    init(
        host: String = "127.0.0.1", store: any CloudStore = MemoryStore(), adminPort: Bool = false,
        origins: [String] = [],
        callback: String? = nil, configure: (inout CloudServerConfiguration) -> Void = { _ in },
        logLevel: LogLevel = .debug, assets: any AssetStore = MemoryAssets(),
        pauses: any Clock<Duration> = ContinuousClock(), mail: MailService? = nil,
        signUp: SignUpPolicy = .closed, webhooks: (any WebhookChannel)? = nil, quotas: Quotas = Quotas(),
        rates: RequestRates = RequestRates()
    ) async throws {
        self.store = store
        let clock = clock
        service = CloudService(
            store: store, secret: [UInt8](repeating: 7, count: 32),
            environment: ServiceEnvironment(
                now: { clock.withLock { $0 } }, random: .system, report: { _ in }),
            configuration: ServiceConfiguration(quotas: quotas, rates: rates, signUp: signUp), assets: assets)
        let context = Self.context()
        try await service.createContainer(context.container)
        try await service.createAccount(email: Self.email, password: Self.password)
        apiToken = try await service.createAPIToken(
            for: context, name: "test", signInCallback: callback, allowedOrigins: origins)
        log = try TestLog()
        var configuration = CloudServerConfiguration(
            listener: HTTPServerConfiguration(address: .network(host: host, port: 0), ioThreads: 1),
            adminAddress: adminPort ? .network(host: host, port: 0) : nil, workerThreads: 2)
        configure(&configuration)
        server = CloudServer(
            configuration: configuration, service: service, store: store,
            logger: Logger(writer: log.writer, level: logLevel), metrics: registry, mail: mail, webhooks: webhooks,
            clock: pauses)
        client = RawClient(port: try await server.start(), host: host)
        admin = server.adminPort.map { RawClient(port: $0, host: host) }
    }

    static func context(_ environment: CloudEnvironment = .development) -> CloudContext {
        guard let container = ContainerIdentifier(container) else { preconditionFailure("the name is valid") }
        return CloudContext(container: container, environment: environment)
    }

    static func path(_ rest: String, environment: String = "development") -> String {
        "/database/1/\(container)/\(environment)/\(rest)"
    }

    func advance(minutes: Int64) { clock.withLock { $0 += minutes * 60_000 } }

    func webAuthToken() async throws -> String {
        try await service.createSession(email: Self.email, context: Self.context()).webAuthToken
    }

    /// A request with the API token, and with a web auth token if there is one.
    func call(
        _ method: String, _ rest: String, token: String? = nil, body: String = "",
        headers: [(String, String)] = []
    ) async throws -> RawResponse {
        let session = token.map { "&ckWebAuthToken=\($0)" } ?? ""
        return try await client.send(
            method, Self.path(rest) + "?ckAPIToken=\(apiToken)\(session)", headers: headers, body: body)
    }

    /// The state of a sign-in page.
    func signInState() async throws -> String {
        let response = try await call("GET", "public/users/caller")
        guard let address = response.json["redirectURL"] as? String, let mark = address.range(of: "?state=") else {
            return ""
        }
        return String(address[mark.upperBound...])
    }

    func stop() async { await server.stop(drainingFor: .seconds(5)) }
}

/// A log that can be read back.
final class TestLog: Sendable {
    let writer: LogWriter
    /// Never closed: the writer's thread may still be at it when the test is over.
    private let descriptor: Int32

    init() throws {
        var path = Array("/tmp/stratus-log-XXXXXX".utf8CString)
        descriptor = mkstemp(&path)
        guard descriptor >= 0 else { throw POSIXError(.EMFILE) }
        unlink(path)
        writer = LogWriter(descriptor: descriptor)
    }

    func text() async -> String {
        await writer.flush()
        var bytes = [UInt8](repeating: 0, count: Int(lseek(descriptor, 0, SEEK_END)))
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
