import FoundationEssentials
import Glibc
import StratusCloudCrypto
import StratusCloudModel
import StratusCloudServer
import StratusCommandLine

/// `stratus migrate`
enum MigrateCommand {
    private struct Report: Encodable {
        struct Part: Encodable {
            var part: String
            var records: Int
            var refused: Int
        }

        var from: String
        var to: String
        var parts: [Part]
        var assets: Int
        var assetBytes: Int64
        /// What could not be carried: the first of it, and how much there is.
        var leftOut: [MigrationState.LeftOut]
        var leftOutCount: Int
        /// What no migration carries.
        var never: [String]
    }

    private static let never = [
        "users: public records keep the user record names of the source, which differ from those of the accounts "
            + "here; private records belong to their owner",
        "change tags and sync tokens: devices sync again from the beginning", "shares, subscriptions and devices",
        "accounts: create them here, and migrate each person's private data with their web auth token",
        "keys of encrypted fields: only devices that have the keys can read what an app encrypted",
    ]

    private static let from = Option.required(
        "from", .string("url"), help: "The other cloud, such as https://api.apple-cloudkit.com")
    private static let sourceContainer = Option.required(
        "source-container", .string("identifier"), help: "The container of the source")
    private static let sourceEnvironment = Option.value(
        "source-environment", ValueKind<CloudEnvironment>.choice(placeholder: "environment"), default: .production,
        help: "The environment of the source")
    private static let keyID = Option.optional(
        "key-id", .string("id"), help: "A server-to-server key of the source; reads its public database")
    private static let keyFile = Option.optional("key", .file, help: "The private key in PEM")
    private static let apiToken = Option.optional(
        "api-token", .string("token"),
        help: "An API token of the source; with --web-auth-token-file it reads private data")
    private static let webAuthToken = Option.optional(
        "web-auth-token-file", .file,
        help: "A file with the web auth token of the person whose private data is read; the command updates it")
    private static let email = Option.optional(
        "email", .string("address"), help: "The account on this server that receives the private data")
    private static let schema = Option.optional(
        "schema", .file,
        help:
            "The source's schema in CloudKit's schema language, as 'cktool export-schema' writes it; applied here first"
    )
    private static let types = Option.repeated(
        "type", .string("recordType"), help: "A record type to read from default zones; those of the schema by default")
    private static let work = Option.required(
        "work", .directory, help: "The directory for fetched data and progress; created if it does not exist")
    private static let restart = Option.flag("restart", help: "Starts from the beginning instead of where it stopped")
    private static let assetProxy = Option.optional(
        "asset-proxy", .string("url"),
        help:
            "A proxy, such as http://10.0.0.1:3128, for assets on other hosts than --from; it controls which hosts "
            + "can be reached"
    )
    private static let authorities = Option.optional(
        "authorities", .file, help: "Certificate authorities in PEM to trust for the source")

    static let name = "migrate"

    static func command(_ output: Output) -> Command {
        Command(
            name, summary: "Copies a container from another cloud into a container of this one",
            discussion:
                "Reads from Apple's cloud or another Stratus server, through CloudKit Web Services: the public "
                + "database with --key-id and --key, a person's private database with --api-token, "
                + "--web-auth-token-file and --email. The source is not changed. All data is fetched into --work "
                + "first, then saved here.\n\n"
                + "When the source limits requests, the command waits. SIGTERM and SIGINT interrupt it; run it again "
                + "to continue where it stopped. A finished migration saves nothing twice. At the end, the "
                + "command prints what could not be migrated, and writes it to report.json in --work; the exit "
                + "code is then 1.",
            options: [
                from, sourceContainer, sourceEnvironment, keyID, keyFile, apiToken, webAuthToken,
                TargetOptions.container, TargetOptions.environment, email, schema, types, work, restart, assetProxy,
                authorities,
            ], output: output
        ) { context, values throws(ToolError) in try await migrate(context, values) }
    }

    private static func migrate(
        _ context: ToolContext, _ values: Values
    ) async throws(ToolError) -> ToolError.ExitCode {
        let origin = try origin(values[from])
        let credential = try credential(values)
        let isPublic = if case .serverKey = credential { true } else { false }
        guard isPublic || values[email] != nil else {
            throw .usage("private data needs --email, the account that receives it")
        }
        let proxy = try values[assetProxy].map { proxy throws(ToolError) in try server(proxy, of: "--asset-proxy") }
        try context.checkData()
        let directory = DataDirectory(path: values[work])
        try directory.create()
        let files = MigrationFiles(directory: directory.path)
        // Before there is a lock in it.
        try files.check()
        let lock = try WorkLock(directory.path)
        defer { lock.release() }
        let place = try values.context
        let target = "\(place.container) \(place.environment)"
        let identity = [
            origin, values[sourceContainer], values[sourceEnvironment].rawValue, isPublic ? "public" : "private",
            target,
            values[email] ?? "",
        ].joined(separator: " ")
        let state = try startState(files, identity, restarts: values[restart])
        let migration = Migration(
            source: MigrationSource(
                origin: origin, container: values[sourceContainer], environment: values[sourceEnvironment].rawValue,
                credential: credential, authorities: values[authorities],
                assetProxy: proxy, told: { context.output.note($0) }),
            directory: directory.path,
            publicTarget: isPublic ? ControlDatabase(context: place, scope: "public") : nil,
            privateTarget: isPublic
                ? nil : ControlDatabase(context: place, scope: "private", email: values[email]),
            dataDirectory: context.directory, output: context.output)
        let done: MigrationState
        do throws(ToolError) {
            done = try await context.withOperator { operation throws(ToolError) in
                let types = try await recordTypes(values, operation)
                return try await migration.run(state, types: types, operation)
            }
        } catch {
            // Whatever failed then failed because it was stopped.
            try ToolError.checkInterruption(
                "the migration was interrupted; run the same command again to continue with \(directory.path)")
            throw error
        }
        let report = Report(
            from: "\(origin) \(values[sourceContainer]) \(values[sourceEnvironment].rawValue)", to: target,
            parts: done.units.map { Report.Part(part: $0.title, records: $0.records, refused: $0.failed) },
            assets: done.assets, assetBytes: done.assetBytes, leftOut: done.leftOut, leftOutCount: done.leftOutCount,
            never: never)
        try write(report, to: files.report)
        try context.output.result(report, text: text(of: report, directory.path))
        return done.leftOutCount == 0 ? .success : .failure
    }

    private static func startState(
        _ files: MigrationFiles, _ identity: String, restarts: Bool
    ) throws(ToolError) -> MigrationState {
        let found = try files.check()
        if restarts { try files.remove() }
        guard !restarts, let state = found else { return MigrationState(identity: identity) }
        guard state.identity == identity else {
            throw .usage(
                "\(files.directory) belongs to another migration, '\(state.identity)'; name another directory, "
                    + "or use --restart"
            )
        }
        return state
    }

    /// Scheme, host and port; tokens and signatures go there.
    private static func origin(_ text: String) throws(ToolError) -> String { try server(text, of: "--from") }

    private static func server(_ text: String, of option: String) throws(ToolError) -> String {
        var text = text
        while text.hasSuffix("/") { text.removeLast() }
        guard text.hasPrefix("https://") || text.hasPrefix("http://"), text.split(separator: "/").count == 2,
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !text.contains("?"), !text.contains("@")
        else { throw .usage("\(option) must be https:// or http:// with a host, and no path") }
        return text
    }

    private static func credential(_ values: Values) throws(ToolError) -> MigrationSource.Credential {
        switch (values[keyID], values[keyFile], values[apiToken], values[webAuthToken]) {
        case (let id?, let file?, nil, nil):
            let pem = try MigrationSource.text(of: file)
            do {
                return .serverKey(id: id, try P256PrivateKey(pem: pem + "\n"))
            } catch {
                throw .usage("\(file): \(error)")
            }
        case (nil, nil, let token?, let file?):
            _ = try MigrationSource.text(of: file)
            return .user(apiToken: token, tokenFile: file)
        default:
            throw .usage(
                "give --key-id and --key for the public database, or --api-token and --web-auth-token-file for a private "
                    + "one; a migration copies one of them")
        }
    }

    /// Applies the schema, and gives the types to ask for.
    private static func recordTypes(
        _ values: Values, _ operation: any Operator
    ) async throws(ToolError) -> [String] {
        if let file = values[schema] {
            let text = String(decoding: try AtomicFile.read(file, limit: 4 * 1_048_576), as: UTF8.self)
            _ = try await operation.perform(
                .applySchema(context: try values.context, text: text, by: OperatorName.current))
        }
        guard values[types].isEmpty else { return values[types] }
        guard case .schema(let text) = try await operation.perform(.showSchema(context: try values.context)) else {
            throw .unexpectedAnswer
        }
        return text.matches(of: /(?m)^ *RECORD TYPE "?([A-Za-z][A-Za-z0-9_]*)"? *\(/).map { String($0.1) }
            .filter { $0 != SystemRecordType.users }
    }

    private static func write(_ report: Report, to path: String) throws(ToolError) {
        let bytes: Data
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            bytes = try encoder.encode(report)
        } catch {
            throw ToolError("the report cannot be written as JSON: \(error)")
        }
        try AtomicFile.replace(path, with: Array(bytes) + [UInt8(ascii: "\n")])
    }

    private static func text(of report: Report, _ directory: String) -> String {
        let records = report.parts.map(\.records).reduce(0, +)
        let refused = report.parts.map(\.refused).reduce(0, +)
        var lines = ["migrated \(records - refused) records and \(report.assets) assets of \(report.assetBytes) bytes"]
        for item in report.leftOut { lines.append("left out: \(item.what), \(item.place): \(item.reason)") }
        if report.leftOutCount > report.leftOut.count {
            lines.append("and \(report.leftOutCount - report.leftOut.count) more")
        }
        lines += report.never.map { "never migrated: \($0)" }
        lines.append("the report is in \(directory)/report.json")
        return lines.joined(separator: "\n")
    }
}
