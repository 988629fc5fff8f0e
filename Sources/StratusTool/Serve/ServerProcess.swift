import Glibc
import StratusCProgramMemory
import StratusCloudAssets
import StratusCloudCrypto
import StratusCloudServer
import StratusCloudService
import StratusCloudStore
import StratusHTTPTransport
import StratusTelemetry
import StratusWorkers

/// A server in the foreground: makes the parts, announces itself, waits for a signal, and takes the parts down.
struct ServerProcess {
    /// Bytes of a PEM or token file.
    private static let fileSize = 1_048_576
    /// Times that locked data is tried: a command of the tool may be at it for a moment.
    private static let openAttempts = 40
    /// Between two attempts.
    private static let openPause = Duration.milliseconds(50)

    /// Records between two lines of the log that tell how far an upgrade came.
    private static let upgradedBetweenLines = 100_000

    private let settings: ServeSettings
    private let directory: DataDirectory
    private let engine: StoreEngine?
    private let configuration: CloudServerConfiguration
    private let pushServices: PushServices
    private let mail: MailService?
    private let signUp: SignUpPolicy
    private let logWriter = LogWriter()
    private let logger: Logger
    private let output: Output

    /// Checks the settings and reads the files they name.
    init(_ settings: ServeSettings, output: Output) throws(ToolError) {
        self.settings = settings
        self.output = output
        directory = DataDirectory(path: settings.data ?? DataDirectory.defaultPath)
        engine = try settings.storeEngine()
        logger = Logger(writer: logWriter, level: try settings.level())
        pushServices = try PushServices(settings.push, in: directory, logger: logger)
        mail = try settings.mail.service(publicURL: settings.publicURL)
        signUp = try settings.mail.signUpPolicy()
        var configuration = try Self.configuration(settings)
        configuration.webPushKey = pushServices.webPushKey
        self.configuration = configuration
    }

    /// Checks settings, and the files they name, as ``init(_:output:)`` does, without making anything.
    static func check(_ settings: ServeSettings, _ directory: DataDirectory) throws(ToolError) {
        _ = try settings.storeEngine()
        let logger = Logger(writer: LogWriter(), level: try settings.level())
        // The key for browsers is made by the first server that needs it.
        var push = settings.push
        let key = push.vapidKey ?? directory.vapidKeyFile
        if push.webPushContact != nil, access(key, F_OK) != 0, errno == ENOENT {
            push.webPushContact = nil
            push.vapidKey = nil
            push.allowsPrivateEndpoints = nil
        }
        _ = try PushServices(push, in: directory, logger: logger)
        _ = try settings.mail.service(publicURL: settings.publicURL)
        _ = try settings.mail.signUpPolicy()
        _ = try configuration(settings)
    }

    /// Serves until a signal comes.
    func run() async throws(ToolError) {
        do throws(ToolError) {
            try await serve()
            logWriter.flushBlocking()
        } catch {
            logWriter.flushBlocking()
            throw error
        }
    }

    private func serve() async throws(ToolError) {
        let (store, service) = try await open()
        let server = CloudServer(
            configuration: configuration, service: service, store: store, logger: logger, metrics: MetricsRegistry(),
            channels: pushServices.channels, mail: mail, webhooks: pushServices.webhooks)
        let control: ControlEndpoint
        let port: UInt16
        do {
            control = try startControl(server, service, store)
            do {
                port = try await server.start()
            } catch {
                await control.stop(drainingFor: .zero)
                throw error
            }
        } catch {
            await store.close()
            throw ToolError("cannot start: \(error)", code: "CANNOT_LISTEN")
        }
        let address = baseURL(port: port)
        var fields: LogFields = ["address": .string(address), "data": .string(directory.path)]
        if let port = server.adminPort { fields.append("adminPort", Int(port)) }
        logger.info("serving", fields)
        output.line("listening on \(address)")
        if settings.firstRun ?? false { try await welcome(address, service) }
        await offerConsole(settings.publicURL ?? address, service)
        // Half of what an idle server has resident are pages of its files that it has done with, or never used.
        program_memory_release_files()
        let resumption = resume(service)
        let signal = await SignalWatcher.first()
        logger.info("a signal ends the server", ["signal": .string(SignalWatcher.name(of: signal))])
        resumption.cancel()
        await resumption.value
        await control.stop(drainingFor: settings.drainTime)
        await server.stop(drainingFor: settings.drainTime)
    }

    private func open() async throws(ToolError) -> (any MaintainedStore, CloudService) {
        let (logger, retention, signUp) = (logger, settings.tombstoneRetention, signUp)
        for attempt in 1...Self.openAttempts {
            do {
                try directory.create()
                let secret = try directory.secretKey()
                let store = try StoreEngine.open(directory: directory.path, required: engine)
                try await upgrade(store)
                let environment = ServiceEnvironment(
                    now: ServiceEnvironment.system.now, random: .system,
                    report: { error in
                        var fields: LogFields = [
                            "uuid": .string(RequestTrace.uuid ?? ""), "error": .string("\(error)"),
                        ]
                        if let trace = RequestTrace.context { fields.append("trace", .string(trace.traceID)) }
                        logger.error("a request failed with an internal error", fields)
                    })
                let assets = try FolderAssets(
                    directory: directory.assetsDirectory, reservedSpace: settings.assets.reservedSpace)
                var limits = settings.limits.serviceConfiguration
                limits.signUp = signUp
                let service = CloudService(
                    store: store, secret: secret, environment: environment, configuration: limits,
                    tombstoneRetention: retention, assets: assets,
                    assetLimits: settings.assets.limits)
                return (store, service)
            } catch let error as StoreError where error.code == .locked && attempt < Self.openAttempts {
                // A sleep that is cut short only makes the next attempt earlier.
                try? await Task.sleep(for: Self.openPause)
            } catch {
                throw ToolError(opening: directory, error)
            }
        }
        throw ToolError("the data directory \(directory.path) is in use", code: "LOCKED")
    }

    /// Brings data of older versions into the present form.
    private func upgrade(_ store: any MaintainedStore) async throws {
        do {
            let logger = logger
            let moved = try await StoredDataUpgrade(store).run { moved in
                if moved.isMultiple(of: Self.upgradedBetweenLines) {
                    logger.info(
                        "upgrading records of an older version",
                        ["records": .integer(Int64(moved))])
                }
            }
            if moved > 0 { logger.info("upgraded records of an older version", ["records": .integer(Int64(moved))]) }
        } catch {
            await store.close()
            throw error
        }
    }

    private func startControl(
        _ server: CloudServer, _ service: CloudService, _ store: any CloudStore
    ) throws -> ControlEndpoint {
        let socket = try ControlSocket.prepare(for: directory.path)
        let control = ControlEndpoint(
            ControlService(service, store: store, files: directory.files), of: server, socket: socket,
            pool: WorkerPool(threads: 2), logger: logger)
        do {
            try control.start()
        } catch {
            socket.remove()
            throw error
        }
        return control
    }

    /// Finishes, while the server serves, what an earlier one left undone.
    private func resume(_ service: CloudService) -> Task<Void, Never> {
        Task {
            do {
                try await service.resumeDeferredWork()
            } catch {
                logger.error("cannot finish the work of an earlier run", ["error": .string("\(error)")])
            }
        }
    }

    private func welcome(_ address: String, _ service: CloudService) async throws(ToolError) {
        let firstRun = FirstRun(control: ControlService(service), address: address, directory: directory)
        output.line(try await firstRun.text())
    }

    /// Shows, as long as nobody owns the server, how somebody comes to.
    private func offerConsole(_ address: String, _ service: CloudService) async {
        do {
            guard try await service.needsConsoleSetUp() else { return }
            let code = try await service.inviteOwner(by: OperatorName.current)
            output.line("console \(address)\(ConsoleAddress.path(invitedBy: code, isOwner: true))")
        } catch {
            logger.error("cannot create a set-up code for the console", ["error": .string("\(error)")])
        }
    }

    /// How clients on this machine reach the server.
    private func baseURL(port: UInt16) -> String {
        let scheme = configuration.listener.tls == nil ? "http" : "https"
        let host = settings.host ?? ServeSettings.defaultHost
        let reachable =
            switch host {
            case "0.0.0.0", "": ServeSettings.defaultHost
            case "::": "[::1]"
            default: host.contains(":") ? "[\(host)]" : host
            }
        return "\(scheme)://\(reachable):\(port)"
    }

    private static func configuration(_ settings: ServeSettings) throws(ToolError) -> CloudServerConfiguration {
        let port = UInt16(clamping: settings.port ?? ServeSettings.defaultPort)
        let listener = HTTPServerConfiguration(
            address: .network(host: settings.host ?? ServeSettings.defaultHost, port: port), tls: try tls(settings))
        let admin = settings.adminPort.map { port in
            HTTPServerConfiguration.Address.network(host: ServeSettings.defaultHost, port: UInt16(clamping: port))
        }
        let token = try settings.metricsTokenFile.map { path throws(ToolError) in
            let token = TextValue.trimmed(try text(of: path))
            guard !token.isEmpty else { throw ToolError.usage("metrics-token-file: \(path) is empty") }
            return token
        }
        return CloudServerConfiguration(
            listener: listener, adminAddress: admin, adminToken: token, publicURL: settings.publicURL,
            trustedProxies: Set(settings.trustedProxies ?? []), bodyLimit: settings.limits.bodyLimit,
            clientConcurrency: settings.limits.clientConcurrency ?? ServerLimits.clientConcurrency,
            consoleFiles: try ConsoleDirectory.find(named: settings.consoleFiles),
            logsRequests: settings.logRequests ?? false)
    }

    private static func tls(_ settings: ServeSettings) throws(ToolError) -> HTTPServerConfiguration.TLS? {
        switch (settings.tlsCertificate, settings.tlsKey) {
        case (nil, nil): return nil
        case (let certificate?, let key?):
            return HTTPServerConfiguration.TLS(certificate: try text(of: certificate), key: try text(of: key))
        default: throw .usage("tls-cert and tls-key must be set together")
        }
    }

    private static func text(of path: String) throws(ToolError) -> String {
        String(decoding: try AtomicFile.read(path, limit: fileSize), as: UTF8.self)
    }
}
