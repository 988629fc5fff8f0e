import Foundation
import StratusModelFiles
import StratusSQLite

/// The model that a store file contains (`Z_MODELCACHE`), so that the file can be migrated without its former model, and
/// is recognized when the algorithm of version hashes has changed.
///
/// Apple's Core Data keeps a compressed keyed archive there. Files written here have a compressed `.xcdatamodel` in its
/// place, because it needs no class names.
struct ModelCache {
    let model: NSManagedObjectModel
    /// Whether this implementation wrote it, and not Apple's.
    let isOwn: Bool

    /// Returns the model of a file; nil if the file has none that can be read.
    static func read(from file: StoreFile) throws -> ModelCache? {
        guard try file.tableNames().contains("Z_MODELCACHE"),
            let content = try file.statement("SELECT Z_CONTENT FROM Z_MODELCACHE").first(row: { $0.blob(0) }) ?? nil,
            let bytes = RawDeflate.decompress(content, limit: ModelFileLimits.fileSize)
        else { return nil }
        let isOwn = bytes.starts(with: Array("<?xml".utf8))
        do {
            let place = "the model of the store"
            let document =
                isOwn ? try ModelReader.read(bytes, file: place) : try ArchivedModel.read(bytes, file: place)
            return ModelCache(model: try NSManagedObjectModel(document, file: place), isOwn: isOwn)
        } catch {
            return nil
        }
    }

    /// Replaces the model of a file by that of some entities. A model that cannot be written, as with control characters
    /// in names, is left out.
    static func write(_ entities: [NSEntityDescription], to file: StoreFile) throws {
        // Relationships lead to entities that the store may not keep.
        let all = entities.first?.managedObjectModel?.entities ?? entities
        // Files of older systems lack the table.
        try file.connection.execute(
            "CREATE TABLE IF NOT EXISTS Z_MODELCACHE (Z_CONTENT BLOB); DELETE FROM Z_MODELCACHE")
        let bytes = ModelWriter.write(ModelDocument(all))
        guard let document = try? ModelReader.read(bytes, file: ""),
            let read = try? NSManagedObjectModel(document, file: ""),
            read.entityVersionHashesByName
                == Dictionary(
                    all.map { ($0.name ?? "", $0.versionHash) }, uniquingKeysWith: { $1 }),
            let content = RawDeflate.compress(bytes)
        else { return }
        try file.statement("INSERT INTO Z_MODELCACHE VALUES (?)").run(content)
    }

    /// Whether the model of the file has entities that a store of it keeps, as they are.
    func fits(_ entities: [NSEntityDescription], storedNames: some Collection<String>) -> Bool {
        let known = model.entityVersionHashesByName
        return storedNames.count == entities.count
            && entities.allSatisfy { entity in
                let name = entity.name ?? ""
                return storedNames.contains(name) && known[name] == entity.versionHash
            }
    }
}
