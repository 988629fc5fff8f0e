import StratusCommandLine

/// `stratus serve`
enum ServeCommand {
    private static let host = Option.optional(
        "host", .string("address"), help: "Where to listen; \(ServeSettings.defaultHost) by default")
    private static let port = Option.optional(
        "port", .integer(0...65_535, placeholder: "port"),
        help: "The port; \(ServeSettings.defaultPort) by default, and 0 takes a free one")
    private static let certificate = Option.optional(
        "tls-cert", .file, help: "A certificate chain in PEM; turns on HTTPS")
    private static let key = Option.optional("tls-key", .file, help: "The private key of the certificate in PEM")
    private static let config = Option.optional(
        "config", .file,
        help: "A JSON file with settings, named like these options; the command line takes precedence")
    private static let firstRun = Option.flag(
        "first-run", help: "Creates a demo container, an account and an API token if there is no container yet")
    private static let logLevel = Option.optional(
        "log-level", .string("level"), help: "debug, info, warning or error; info by default")
    private static let logRequests = Option.flag("log-requests", help: "Logs every request")
    private static let adminPort = Option.optional(
        "admin-port", .integer(0...65_535, placeholder: "port"),
        help: "Also serves /metrics and /health on 127.0.0.1 at this port")
    private static let metricsToken = Option.optional(
        "metrics-token-file", .file,
        help: "Serves /metrics on the public port to clients that send the content of the file as a bearer token")
    private static let publicURL = Option.optional(
        "public-url", .string("url"), help: "The address of the server for clients, such as https://cloud.example")
    private static let trustedProxy = Option.repeated(
        "trusted-proxy", .string("address"), help: "The address of a proxy whose X-Forwarded-For header is trusted")
    private static let tombstoneDays = Option.optional(
        "tombstone-days", .integer(ServeSettings.tombstoneDaysRange, placeholder: "days"),
        help: "How long change feeds keep deletions; 365 by default. Clients that stay away longer fetch everything "
            + "again")
    private static let drainSeconds = Option.optional(
        "drain-seconds", .integer(ServeSettings.drainSecondsRange, placeholder: "seconds"),
        help: "How long a stop waits for running requests; 20 by default")
    private static let consoleFiles = Option.optional(
        "console-files", .directory,
        help: "The directory of the console's pages; those installed with the program by default")
    private static let engine = Option.optional(
        "engine", .string("name"), help: "The storage engine for new data: leveldb (the default) or sqlite")

    /// What belongs together in the configuration reference, under its heading.
    static let groups: [(heading: String, options: [any ParameterDeclaring])] = [
        (
            "Server",
            [
                ToolContext.Common.data, host, port, certificate, key, config, firstRun, logLevel, logRequests,
                adminPort, metricsToken, publicURL, trustedProxy, consoleFiles, engine, tombstoneDays,
                drainSeconds,
            ]
        ),
        ("Quotas, rates and requests", LimitSettings.options), ("Assets", AssetLimitSettings.options),
        ("Push services", PushSettings.options), ("E-mail and accounts", MailSettings.options),
    ]

    static let name = "serve"

    static func command(_ output: Output) -> Command {
        Command(
            name, summary: "Runs the server",
            discussion: "Runs in the foreground, logs JSON lines on standard error, and prints 'listening on …' on "
                + "standard output when it is ready. SIGTERM and SIGINT stop it cleanly: running requests finish and "
                + "everything is written to disk. A second signal stops it at once.\n\n"
                + "Exit codes: 0 after a clean stop, 1 for a failure, 2 for a wrong command line or configuration.",
            // Where the data lies is an option of every command.
            options: groups.flatMap(\.options).filter {
                $0.declaration.name != ToolContext.Common.data.declaration.name
            },
            output: output
        ) { context, values throws(ToolError) in
            let typed = settings(values)
            let settings = try values[config].map { path throws(ToolError) in
                typed.completed(by: try ConfigurationFile.read(path))
            }
            let server = try ServerProcess(settings ?? typed, output: context.output)
            try await server.run()
            return .success
        }
    }

    private static func settings(_ values: Values) -> ServeSettings {
        ServeSettings(
            data: values[ToolContext.Common.data], host: values[host], port: values[port],
            tlsCertificate: values[certificate], tlsKey: values[key], firstRun: values[firstRun] ? true : nil,
            logLevel: values[logLevel], logRequests: values[logRequests] ? true : nil,
            adminPort: values[adminPort], metricsTokenFile: values[metricsToken], publicURL: values[publicURL],
            trustedProxies: values[trustedProxy].isEmpty ? nil : values[trustedProxy], engine: values[engine],
            limits: LimitSettings(values), assets: AssetLimitSettings(values), push: PushSettings(values),
            mail: MailSettings(values),
            consoleFiles: values[consoleFiles],
            tombstoneDays: values[tombstoneDays], drainSeconds: values[drainSeconds])
    }
}
