import Glibc
import StratusCloudServer

/// Writes the bytes of exported assets into a directory, each once: those that are there already, from another page or
/// another export, are left as they are.
struct AssetExporter: Sendable {
    private let directory: AssetDirectory

    /// Makes the directory if there is none.
    init(directory path: String) throws(ToolError) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw ToolError("cannot create the directory \(path): \(DataDirectory.systemMessage())")
        }
        directory = AssetDirectory(path: path)
    }

    /// Writes the bytes of an asset of a database.
    func write(
        _ asset: ControlAsset, of database: ControlDatabase, _ operation: any Operator
    ) async throws(ToolError) {
        guard let path = directory.file(of: asset.fileChecksum) else { throw .unexpectedAnswer }
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, Int64(status.st_size) == asset.size { return }
        do throws(ToolError) {
            let writer = try AssetFileWriter(path: path)
            while writer.written < asset.size {
                let request = ControlRequest.readAsset(
                    database: database, fileChecksum: asset.fileChecksum, offset: writer.written)
                guard case .bytes(let bytes) = try await operation.perform(request), !bytes.isEmpty else {
                    throw .unexpectedAnswer
                }
                try writer.append([UInt8](bytes))
            }
            try writer.finish(as: asset.fileChecksum)
        } catch {
            throw ToolError("asset \(asset.fileChecksum): \(error.message)", code: error.code)
        }
    }

    /// Makes the names of the files durable.
    func finish() throws(ToolError) {
        let descriptor = open(directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        let isSynced = descriptor >= 0 && fsync(descriptor) == 0
        if descriptor >= 0 { close(descriptor) }
        guard isSynced else { throw ToolError("cannot sync \(directory.path): \(DataDirectory.systemMessage())") }
    }
}
