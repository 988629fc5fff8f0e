import Glibc
import StratusBackups
import StratusCloudStore

/// Makes a data directory of a backup, in a place of its own until everything is checked. Blocks, except for the store.
///
/// That place is beside the directory, which gets its name at the end; or, where a directory is there that nothing can take
/// the place of, such as a mounted volume, inside of it, and what was made is moved out at the end.
struct Restoration {
    private let restorer: BackupRestorer
    private let target: String
    private let secretKey: [UInt8]?
    /// Whether it is made inside of the directory.
    private let isInside: Bool
    private var partial: String { isInside ? "\(target)/\(Self.insideName)" : target + ".partial" }
    private var mark: String { "\(partial)/\(Self.markName)" }
    private static let insideName = ".partial"
    /// A file that says that a directory is an unfinished restoration, and may be removed. It names, a line each, what is
    /// being moved to the directory above.
    private static let markName = "restoring"
    /// Bytes of it.
    private static let markSize = 4_096
    /// What a new file system has; not anybody's data.
    private static let lostAndFound = "lost+found"

    init(_ restorer: BackupRestorer, to directory: DataDirectory, secretKey: [UInt8]?) {
        self.restorer = restorer
        target = directory.path
        self.secretKey = secretKey
        isInside = Self.mustStay(target)
    }

    /// Whether a directory is there that another cannot take the place of: it is on another device than its parent, lies
    /// behind a symbolic link, or its parent cannot be written.
    private static func mustStay(_ path: String) -> Bool {
        var (own, link, above) = (stat(), stat(), stat())
        guard lstat(path, &link) == 0, stat(path, &own) == 0, own.st_mode & S_IFMT == S_IFDIR else { return false }
        let parent = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard stat(parent, &above) == 0 else { return false }
        return link.st_mode & S_IFMT == S_IFLNK || own.st_dev != above.st_dev || access(parent, W_OK) != 0
    }

    func run() async throws(ToolError) -> BackupRestorer.Content {
        try removeUnfinished()
        try checkTarget()
        guard mkdir(partial, 0o700) == 0 else {
            throw ToolError("cannot create \(partial): \(DataDirectory.systemMessage())")
        }
        do throws(ToolError) {
            try AtomicFile.write([], to: mark)
            var content = try ToolError.wrapping { () throws(StoreError) in try restorer.restore(to: partial) }
            if let secretKey, !content.hasSecretKey {
                try AtomicFile.write(secretKey, to: partial + "/secret.key")
                content.hasSecretKey = true
            }
            try await verify()
            // What opening it made.
            unlink("\(partial)/stratus.lock")
            if isInside { try moveOut() } else { try publish() }
            return content
        } catch {
            // Nothing to add where this fails, too: the next restoration says what is in its way.
            try? removeUnfinished()
            throw error
        }
    }

    /// Removes what a restoration made that was cut, and what it had moved already.
    private func removeUnfinished() throws(ToolError) {
        guard access(partial, F_OK) == 0 else { return }
        guard access(mark, F_OK) == 0 else {
            throw ToolError("\(partial) exists and is not an unfinished restore; move it away first", code: "EXISTS")
        }
        if isInside {
            let moved = String(decoding: try AtomicFile.read(mark, limit: Self.markSize), as: UTF8.self)
                .split(separator: "\n").map(String.init).filter { !$0.contains("/") && !$0.hasPrefix(".") }
            // Anything else came later: somebody may have used what was moved.
            let known = moved + [Self.insideName, Self.lostAndFound]
            guard try DirectoryTree.names(in: target).allSatisfy(known.contains) else { throw exists() }
            for name in moved { DirectoryTree.remove("\(target)/\(name)") }
        }
        // The mark goes last, so that what this leaves is recognised, too.
        for name in try DirectoryTree.names(in: partial) where name != Self.markName {
            DirectoryTree.remove("\(partial)/\(name)")
        }
        DirectoryTree.remove(partial)
    }

    private func checkTarget() throws(ToolError) {
        guard access(target, F_OK) == 0 || errno != ENOENT else { return }
        guard let names = try? DirectoryTree.names(in: target),
            names.allSatisfy({ isInside && $0 == Self.lostAndFound })
        else { throw exists() }
    }

    private func exists() -> ToolError {
        ToolError("\(target) exists and is not empty; restore into a new or empty directory", code: "EXISTS")
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
        guard unlink(mark) == 0, rename(partial, target) == 0 else {
            throw ToolError("cannot create \(target): \(DataDirectory.systemMessage())")
        }
        AtomicFile.syncDirectory(of: target)
    }

    /// The mark is there until all is moved: whoever finds it knows what is not whole. The store goes last, so that nobody
    /// can open it without what belongs to it.
    private func moveOut() throws(ToolError) {
        let names = try DirectoryTree.names(in: partial).filter { $0 != Self.markName }
            .sorted { !Self.isStore($0) && Self.isStore($1) }
        try AtomicFile.replace(mark, with: Array(names.joined(separator: "\n").utf8))
        AtomicFile.syncDirectory(of: mark)
        for name in names {
            guard rename("\(partial)/\(name)", "\(target)/\(name)") == 0 else {
                throw ToolError("cannot create \(target)/\(name): \(DataDirectory.systemMessage())")
            }
        }
        AtomicFile.syncDirectory(of: partial)
        DirectoryTree.remove(partial)
        AtomicFile.syncDirectory(of: partial)
    }

    private static func isStore(_ name: String) -> Bool { name.hasPrefix("stratus.") }
}
