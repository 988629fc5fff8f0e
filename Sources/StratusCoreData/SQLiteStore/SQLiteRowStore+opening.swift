import Foundation
import StratusSQLite

// The steps of opening a file.
extension SQLiteRowStore {
    static func create(_ entities: [NSEntityDescription], in file: StoreFile) throws {
        let layout = try StoreLayout(entities)
        let metadata: [String: Any] = [
            MetadataKey.hashes: hashes(of: entities), MetadataKey.hashesVersion: 3,
            MetadataKey.identifiers: versionIdentifiers(of: entities),
        ]
        let plist = try PropertyListSerialization.data(fromPropertyList: metadata, format: .binary, options: 0)
        try file.connection.transaction {
            // Another process may have created it meanwhile.
            guard try file.tableNames().isEmpty else { return }
            try file.create(layout, identifier: UUID().uuidString, metadata: plist)
            try ModelCache.write(entities, to: file)
        }
    }

    /// Those that Xcode recorded go first: with them a Mac opens the file, too.
    static func hashes(of entities: [NSEntityDescription]) -> [String: Data] {
        Dictionary(
            entities.map { ($0.name ?? "", $0.recordedVersionHash ?? $0.versionHash) }, uniquingKeysWith: { $1 })
    }

    /// Returns the identifiers of the model that entities belong to.
    static func versionIdentifiers(of entities: [NSEntityDescription]) -> [String] {
        entities.first?.managedObjectModel?.versionIdentifiers.compactMap { $0 as? String }.sorted() ?? [""]
    }

    static func check(
        _ metadata: [String: Any], _ entities: [NSEntityDescription], _ options: Options, in file: StoreFile
    ) throws {
        guard let stored = metadata[MetadataKey.hashes] as? [String: Data] else {
            throw StoreFailure(.damaged, "the metadata of the store has no version hashes")
        }
        let own = Dictionary(entities.map { ($0.name ?? "", $0) }, uniquingKeysWith: { $1 })
        let differing = Set(own.keys).union(stored.keys).filter {
            own[$0]?.accepts(versionHash: stored[$0]) != true
        }.sorted()
        guard !differing.isEmpty, !options.acceptedHashes.contains(stored) else { return }
        guard let cache = try ModelCache.read(from: file), cache.fits(entities, storedNames: stored.keys) else {
            throw StoreFailure(
                .otherModel,
                "the model differs from the store's in \(differing.map { "'\($0)'" }.joined(separator: ", "))")
        }
        // The hashes of a Mac's file stay, because a Mac compares them.
        guard cache.isOwn, !options.isReadOnly else { return }
        try file.connection.transaction { try file.setModel(entities, of: metadata) }
    }

    static func setPragmas(_ options: Options, of file: StoreFile) throws {
        var pragmas = options.pragmas
        if !options.isReadOnly, pragmas["journal_mode"] == nil { pragmas["journal_mode"] = "WAL" }
        for (name, value) in pragmas.sorted(by: { $0.key < $1.key }) {
            let isWord = (name + value).unicodeScalars.allSatisfy {
                $0.isASCII
                    && ($0.properties.isAlphabetic || $0.properties.numericType != nil || "_-".contains($0.description))
            }
            guard isWord, !name.isEmpty, !value.isEmpty else {
                throw StoreFailure(.unsupported, "pragma '\(name)' with the value '\(value)'")
            }
            try file.connection.execute("PRAGMA \(name) = \(value)")
        }
    }

    static func maintain(_ file: StoreFile, _ options: Options) throws {
        if options.analyzes { try file.connection.execute("ANALYZE") }
        if options.vacuums { try file.connection.execute("VACUUM") }
    }
}
