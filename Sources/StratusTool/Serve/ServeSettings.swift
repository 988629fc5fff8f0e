import Glibc
import StratusCloudServer
import StratusCloudService
import StratusCloudStore
import StratusTelemetry

/// How `stratus serve` runs; each setting comes from the command line, the configuration file, or a default.
struct ServeSettings: Sendable {
    /// The port clients expect unless told otherwise.
    static let defaultPort = 8_420
    static let defaultHost = "127.0.0.1"

    var data: String?
    var host: String?
    var port: Int?
    var tlsCertificate: String?
    var tlsKey: String?
    var firstRun: Bool?
    var logLevel: String?
    var logRequests: Bool?
    var adminPort: Int?
    var metricsTokenFile: String?
    var publicURL: String?
    var trustedProxies: [String]?
    var engine: String?
    var limits = LimitSettings()
    var assets = AssetLimitSettings()
    var push = PushSettings()
    var mail = MailSettings()
    var consoleFiles: String?
    var tombstoneDays: Int?
    var drainSeconds: Int?

    /// Days that ``tombstoneDays`` may be: up to a century.
    static let tombstoneDaysRange = 1...36_500
    /// Seconds that ``drainSeconds`` may be: up to an hour.
    static let drainSecondsRange = 0...3_600

    /// These settings, and those of `other` where these say nothing.
    func completed(by other: ServeSettings) -> ServeSettings {
        ServeSettings(
            data: data ?? other.data, host: host ?? other.host, port: port ?? other.port,
            tlsCertificate: tlsCertificate ?? other.tlsCertificate, tlsKey: tlsKey ?? other.tlsKey,
            firstRun: firstRun ?? other.firstRun, logLevel: logLevel ?? other.logLevel,
            logRequests: logRequests ?? other.logRequests, adminPort: adminPort ?? other.adminPort,
            metricsTokenFile: metricsTokenFile ?? other.metricsTokenFile, publicURL: publicURL ?? other.publicURL,
            trustedProxies: trustedProxies ?? other.trustedProxies, engine: engine ?? other.engine,
            limits: limits.completed(by: other.limits), assets: assets.completed(by: other.assets),
            push: push.completed(by: other.push), mail: mail.completed(by: other.mail),
            consoleFiles: consoleFiles ?? other.consoleFiles,
            tombstoneDays: tombstoneDays ?? other.tombstoneDays, drainSeconds: drainSeconds ?? other.drainSeconds)
    }

    /// The engine that new data is made with and existing data must be of; nil for whatever it is.
    func storeEngine() throws(ToolError) -> StoreEngine? {
        guard let engine else { return nil }
        guard let result = StoreEngine(rawValue: engine) else {
            let known = StoreEngine.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("engine: '\(engine)' is not one of \(known)")
        }
        return result
    }

    /// Milliseconds that change feeds tell deletions.
    var tombstoneRetention: Int64 {
        tombstoneDays.map { Int64($0) * 24 * 60 * 60 * 1_000 } ?? ServiceLimits.tombstoneRetention
    }

    /// How long a stop waits for requests under way.
    var drainTime: Duration { drainSeconds.map { .seconds($0) } ?? ServerLimits.drainTime }

    /// The level of the log.
    func level() throws(ToolError) -> LogLevel {
        let name = logLevel ?? LogLevel.info.name
        guard let level = LogLevel(name: name) else {
            let known = LogLevel.allCases.map(\.name).joined(separator: ", ")
            throw .usage("log-level: '\(name)' is not one of \(known)")
        }
        return level
    }
}
