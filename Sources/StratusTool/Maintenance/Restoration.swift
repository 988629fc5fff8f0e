import Backups
import CloudStore
import Glibc

/// Makes a data directory of a backup, beside its place until everything is checked. Blocks, except for the store.
struct Restoration {
    private let restorer: BackupRestorer
    private let target: String
    private let secretKey: [UInt8]?
    private var partial: String { target + ".partial" }
    /// Says that a directory is an unfinished restoration, and may be removed.
    private static let mark = "restoring"

    init(_ restorer: BackupRestorer, to directory: DataDirectory, secretKey: [UInt8]?) {
        self.restorer = restorer
        target = directory.path
        self.secretKey = secretKey
    }

    func run() async throws(ToolError) -> BackupRestorer.Content {
        try checkTarget()
        try makePartial()
        do throws(ToolError) {
            var content = try ToolError.wrapping { () throws(StoreError) in try restorer.restore(to: partial) }
            if let secretKey, !content.hasSecretKey {
                try AtomicFile.write(secretKey, to: partial + "/secret.key")
                content.hasSecretKey = true
            }
            try await verify()
            try publish()
            return content
        } catch {
            removePartial()
            throw error
        }
    }

    private func checkTarget() throws(ToolError) {
        guard access(target, F_OK) == 0 || errno != ENOENT else { return }
        guard let names = try? DirectoryTree.names(in: target), names.isEmpty else {
            throw ToolError("\(target) exists and is not empty; a restore replaces nothing", code: "EXISTS")
        }
    }

    private func makePartial() throws(ToolError) {
        if access(partial, F_OK) == 0 {
            guard access("\(partial)/\(Self.mark)", F_OK) == 0 else {
                throw ToolError("\(partial) is in the way, and no unfinished restoration", code: "EXISTS")
            }
            removePartial()
        }
        guard mkdir(partial, 0o700) == 0 else {
            throw ToolError("cannot make \(partial): \(DataDirectory.systemMessage())")
        }
        try AtomicFile.write([], to: "\(partial)/\(Self.mark)")
    }

    private func verify() async throws(ToolError) {
        do {
            let store = try StoreEngine.open(directory: partial)
            do {
                try await store.verify()
            } catch {
                await store.close()
                throw error
            }
            await store.close()
        } catch {
            throw ToolError(opening: DataDirectory(path: partial), error)
        }
    }

    private func publish() throws(ToolError) {
        // What opening it made.
        unlink("\(partial)/stratus.lock")
        guard unlink("\(partial)/\(Self.mark)") == 0, rename(partial, target) == 0 else {
            throw ToolError("cannot make \(target): \(DataDirectory.systemMessage())")
        }
        AtomicFile.syncDirectory(of: target)
    }

    private func removePartial() { DirectoryTree.remove(partial) }
}
