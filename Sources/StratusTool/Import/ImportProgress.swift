import FoundationEssentials
import Glibc
import StratusCloudCrypto

/// How far an import came, so that it can go on after an interruption.
struct ImportProgress: Codable, Hashable, Sendable {
    /// Behind the last row of which this and all before it are decided.
    var position: FilePosition
    var imported: Int
    var failed: Int
}

/// The file that keeps an import's progress, in the data directory. Its name is a hash of the content of the imported
/// file and of where it goes, so that a renamed file goes on and a changed one begins anew.
struct ImportProgressFile: Sendable {
    let path: String

    init(_ plan: ImportPlan, digest: String, in directory: DataDirectory) throws(ToolError) {
        let folder = directory.importsDirectory
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            throw ToolError("cannot create the directory \(folder): \(DataDirectory.systemMessage())")
        }
        let name = Hex.encode(Array(SHA256.hash(digest + "|" + plan.identity).prefix(16)))
        path = "\(folder)/\(name).json"
    }

    /// What was kept; nil if there is nothing, or nothing that can be read: then the import begins anew.
    func read() -> ImportProgress? {
        guard access(path, F_OK) == 0 else { return nil }
        do {
            let bytes = try AtomicFile.read(path, limit: ImportLimits.progressFileSize)
            return try JSONDecoder().decode(ImportProgress.self, from: Data(bytes))
        } catch {
            return nil
        }
    }

    func write(_ progress: ImportProgress) throws(ToolError) {
        do {
            try AtomicFile.replace(path, with: Array(try JSONEncoder().encode(progress)))
        } catch let error as ToolError {
            throw error
        } catch {
            throw ToolError("cannot write \(path): \(error)")
        }
    }

    func remove() { unlink(path) }
}
