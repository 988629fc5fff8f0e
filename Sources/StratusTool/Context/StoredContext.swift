import FoundationEssentials
import StratusDeviceCredentials

/// The container, environment, database and account that commands use where neither the command line nor the
/// environment names them.
struct StoredContext: Codable, Hashable, Sendable {
    var container: String?
    var environment: String?
    var database: String?
    var email: String?

    /// Whether it says nothing.
    var isEmpty: Bool { self == StoredContext() }
}

/// `contexts.json`: the contexts of a user of this machine, one for each data directory. All calls block.
struct ContextFile: Sendable {
    /// Bytes of the file, at most.
    private static let limit = 1 << 20

    private let directory: String
    private var path: String { directory + "/contexts.json" }

    /// The file of the user who runs the command; nil for a user without a home directory.
    init?() {
        guard let directory = CredentialsFile.configurationDirectory(ProcessInfo.processInfo.environment) else {
            return nil
        }
        self.directory = directory
    }

    /// Returns the context for a data directory; an empty one if none is set.
    func read(_ data: DataDirectory) throws(ToolError) -> StoredContext { try all()[data.path] ?? StoredContext() }

    /// Changes the context for a data directory; an empty one is removed.
    func write(_ context: StoredContext, for data: DataDirectory) throws(ToolError) {
        var contexts = try all()
        contexts[data.path] = context.isEmpty ? nil : context
        try DataDirectory(path: directory).create()
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
            try AtomicFile.replace(path, with: Array(try encoder.encode(contexts)) + [UInt8(ascii: "\n")])
        } catch {
            throw error as? ToolError ?? ToolError("cannot write \(path): \(error)")
        }
    }

    private func all() throws(ToolError) -> [String: StoredContext] {
        guard let bytes = try AtomicFile.readIfPresent(path, limit: Self.limit) else { return [:] }
        do {
            return try JSONDecoder().decode([String: StoredContext].self, from: Data(bytes))
        } catch {
            throw ToolError(
                "\(path) is damaged; remove it, and set your contexts again (\(error))", code: "CONFIGURATION",
                exitCode: .usage)
        }
    }
}
