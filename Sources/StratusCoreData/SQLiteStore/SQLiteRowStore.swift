import Foundation
import StratusSQLite

// `@unchecked Sendable`: the file is reached only in `access`, under the lock.
/// A store of rows in a SQLite file with the schema of Apple's Core Data, or in memory.
final class SQLiteRowStore: RowStore, @unchecked Sendable {
    let identifier: String
    let layout: StoreLayout
    /// Whether saves are kept in a history.
    let recordsHistory: Bool
    /// Whether the store refuses saves, as it is to be only read, or has a history that they would be missing from.
    let isReadOnly: Bool
    /// The SQL for single rows, by the names of the entities.
    let entityStatements: [String: EntityStatements]
    let path: String
    let replacedFiles: ReplacedExternalFiles
    /// Whether the store shows a former state of another one, until it is closed.
    private let isSnapshot: Bool
    private let lock = NSLock()
    private var file: StoreFile?
    /// SQLite's number of the content when it was last asked for. Used in `access`.
    var dataVersion: Int64?

    var isInMemory: Bool { path == ":memory:" }

    struct Options: Sendable {
        var isReadOnly = false
        /// Whether saves are kept in a history. A store with a history that is opened without it is only read.
        var recordsHistory = false
        /// Whether SQLite collects statistics about the tables.
        var analyzes = false
        /// Whether the file is rebuilt without unused space.
        var vacuums = false
        /// Whether a file that does not exist is created.
        var createsFile = true
        /// How long to wait while another connection writes.
        var timeout = Duration.seconds(240)
        /// Pragmas of SQLite with their values, set after opening.
        var pragmas: [String: String] = [:]
        /// Version hashes that are accepted besides those of the entities, such as those in a compiled model.
        var acceptedHashes: [[String: Data]] = []
        /// A file whose contents a store in memory has.
        var contents: String?
    }

    /// Opens a store, or creates it with the schema for `entities`.
    /// - Parameter path: The file; `:memory:` for a store that exists as long as this object.
    init(path: String, entities: [NSEntityDescription], options: Options = Options()) throws {
        do {
            let exists = path == ":memory:" || FileManager.default.fileExists(atPath: path)
            guard exists || (options.createsFile && !options.isReadOnly) else {
                throw StoreFailure(.missing, "there is no file \(path)")
            }
            let file = try StoreFile(
                path: path, isReadOnly: options.isReadOnly && options.contents == nil, timeout: options.timeout)
            if let contents = options.contents { try file.takeContents(of: contents) }
            if try file.tableNames().isEmpty, !options.isReadOnly { try Self.create(entities, in: file) }
            let header = try file.header()
            try Self.check(header.metadata, entities, options, in: file)
            identifier = header.identifier
            layout = try StoreLayout(
                entities, numbers: try file.entityNumbers(), external: ExternalFiles(store: path),
                fileTables: try file.tableNames())
            entityStatements = layout.entities.mapValues { [layout] in EntityStatements($0, layout) }
            try file.check(layout)
            try Self.setPragmas(options, of: file)
            if !options.isReadOnly { try Self.maintain(file, options) }
            let hasHistory = try HistoryTables.exist(in: file)
            isReadOnly = options.isReadOnly || (hasHistory && !options.recordsHistory)
            recordsHistory = options.recordsHistory && (hasHistory || !options.isReadOnly)
            if recordsHistory, !isReadOnly { try HistoryTables(file: file, layout: layout).create() }
            self.file = file
            self.path = path
            replacedFiles = ReplacedExternalFiles(layout.external)
            isSnapshot = false
        } catch let error as SQLiteError {
            throw StoreFailure(error)
        }
    }

    /// Makes a store that only reads a file in its state of now. The files with its external data stay until it is closed.
    init(_ file: StoreFile, of other: SQLiteRowStore) {
        replacedFiles = other.replacedFiles
        isSnapshot = true
        (identifier, layout, path) = (other.identifier, other.layout, other.path)
        entityStatements = other.entityStatements
        (isReadOnly, recordsHistory) = (true, other.recordsHistory)
        self.file = file
    }

    func metadata() throws -> [String: Any] {
        let (identifier, metadata) = try access { try $0.header() }
        return metadata.merging(
            [MetadataKey.identifier: identifier, MetadataKey.type: "SQLite"], uniquingKeysWith: { $1 })
    }

    func setMetadata(_ metadata: [String: Any]) throws {
        try access { file in
            let own = try file.header().metadata
            var changed = metadata
            changed[MetadataKey.identifier] = nil
            changed[MetadataKey.type] = nil
            for key in MetadataKey.ofModel { changed[key] = own[key] }
            guard PropertyListSerialization.propertyList(changed, isValidFor: .binary) else {
                throw StoreFailure(.unsupported, "the metadata is not a property list")
            }
            let plist = try PropertyListSerialization.data(fromPropertyList: changed, format: .binary, options: 0)
            try file.statement("UPDATE Z_METADATA SET Z_PLIST = ?").run(Array(plist))
        }
    }

    func close() {
        lock.lock()
        defer { lock.unlock() }
        if isSnapshot, file != nil { replacedFiles.endGeneration() }
        file = nil
    }

    /// Runs `body` with the file, alone.
    func access<Value>(_ body: (StoreFile) throws -> Value) throws -> Value {
        lock.lock()
        defer { lock.unlock() }
        return try bodyWithFile(body)
    }

    /// Runs `body` with the file, alone, and then closes it.
    func accessAndClose(_ body: (StoreFile) throws -> Void) throws {
        lock.lock()
        defer { lock.unlock() }
        try bodyWithFile(body)
        file = nil
    }

    private func bodyWithFile<Value>(_ body: (StoreFile) throws -> Value) throws -> Value {
        guard let file else { throw StoreFailure(.closed, "the store is closed") }
        do {
            return try body(file)
        } catch let error as SQLiteError {
            throw StoreFailure(error)
        }
    }

    /// Runs `body`, which reads rows, as often as files with their data are removed meanwhile: another process has changed
    /// the rows, then. A file that is missing again is lost, and the value is nil.
    func read<Value>(_ body: (StoreFile) throws -> Value) throws -> Value {
        try access { file in
            var lost: Set<String> = []
            while true {
                let value = try body(file)
                // A former state does not change, and shares the layout with the store that does.
                if isSnapshot { return value }
                let missing = layout.missingFiles.take()
                if missing.isSubset(of: lost) { return value }
                lost.formUnion(missing)
            }
        }
    }
}

/// The keys of a store's metadata.
enum MetadataKey {
    static let identifier = NSStoreUUIDKey
    static let type = NSStoreTypeKey
    static let hashes = NSStoreModelVersionHashesKey
    static let hashesVersion = "NSStoreModelVersionHashesVersion"
    static let identifiers = NSStoreModelVersionIdentifiersKey
    /// The keys with which Apple's Core Data describes a model in further ways.
    static let ofFormerModel = ["NSStoreModelVersionHashesDigest", "NSStoreModelVersionChecksumKey"]
    /// The key of the checksum of a model to which a staged migration has brought the store, while the second handler of
    /// the stage has not ended.
    static let unfinishedStage = "StratusUnfinishedMigrationStage"
    /// The keys that describe the model. A program cannot replace their values.
    static let ofModel = [hashes, hashesVersion, unfinishedStage]
}
