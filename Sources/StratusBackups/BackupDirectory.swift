import Glibc
import StratusCFiles
import StratusCloudStore

/// A directory with backups: chunks of bytes under their checksums, and snapshots that are lists of them. Nothing in it
/// is changed, so that a backup copies what is new only, and one that is cut harms none before it.
public struct BackupDirectory: Sendable {
    /// Where it is.
    public let path: String

    /// Opens the directory of an earlier backup.
    /// - Throws: ``StoreError`` if there is none, or of a newer format.
    public init(existing path: String) throws(StoreError) {
        self.path = path
        guard try hasFormat() else {
            throw StoreError(.corrupted, "\(path) is not a backup directory: it has no file 'format'")
        }
    }

    /// Opens the directory, or makes one where there is none, or an empty one.
    /// - Throws: ``StoreError``, also if something else is in it.
    public init(path: String) throws(StoreError) {
        self.path = path
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw StoreError(system: errno, while: "creating \(path)") }
        if try !hasFormat() {
            let names = try Self.names(in: path).filter { $0 != Self.formatName + ".new" }
            guard names.isEmpty else {
                throw StoreError(.readOnly, "\(path) is neither empty nor a backup directory")
            }
            let new = "\(path)/\(Self.formatName).new"
            try FileBytes.write(Array("\(BackupFormat.label)\(BackupFormat.version)\n".utf8), to: new)
            guard rename(new, "\(path)/\(Self.formatName)") == 0 else {
                throw StoreError(system: errno, while: "creating \(path)")
            }
        }
        for name in [snapshots, chunks, incoming] where mkdir(name, 0o700) != 0 && errno != EEXIST {
            throw StoreError(system: errno, while: "creating \(name)")
        }
    }

    /// The names of the snapshots, the oldest first.
    public func snapshotNames() throws(StoreError) -> [String] {
        try Self.names(in: snapshots).filter { $0.hasSuffix(Self.suffix) }.map {
            String($0.dropLast(Self.suffix.count))
        }
        .sorted()
    }

    private static let formatName = "format"
    private static let suffix = ".jsonl"
    /// Bytes of the file that says what the directory is.
    private static let formatSize = 64

    private var snapshots: String { path + "/snapshots" }
    private var chunks: String { path + "/chunks" }
    /// Chunks that are not durable yet.
    var incoming: String { path + "/incoming" }

    func snapshot(_ name: String) -> String { "\(snapshots)/\(name)\(Self.suffix)" }
    func chunkFolder(_ digest: String) -> String { "\(chunks)/\(digest.prefix(2))" }
    func chunk(_ digest: String) -> String { "\(chunkFolder(digest))/\(digest)" }

    /// Makes everything durable that was written.
    func synchronize() throws(StoreError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreError(system: errno, while: "opening \(path)") }
        defer { close(descriptor) }
        guard files_sync_all(descriptor) == 0 else { throw StoreError(system: errno, while: "syncing \(path)") }
    }

    /// Removes the oldest snapshots beyond `kept`, and the chunks that no other one has.
    /// - Returns: the names of the snapshots that are gone.
    func prune(keeping kept: Int) throws(StoreError) -> [String] {
        let names = try snapshotNames()
        let old = Array(names.dropLast(kept))
        guard !old.isEmpty else { return [] }
        var needed: Set<String> = []
        for name in names.suffix(kept) {
            let reader = try SnapshotReader(path: snapshot(name))
            while let file = try reader.next() { needed.formUnion(file.chunks) }
        }
        for name in old where unlink(snapshot(name)) != 0 {
            throw StoreError(system: errno, while: "removing \(snapshot(name))")
        }
        // First the snapshots, durably: what is cut in between leaves chunks too many, not too few.
        try synchronize()
        for folder in try Self.names(in: chunks) {
            for chunk in try Self.names(in: "\(chunks)/\(folder)") where !needed.contains(chunk) {
                unlink("\(chunks)/\(folder)/\(chunk)")
            }
        }
        return old
    }

    private func hasFormat() throws(StoreError) -> Bool {
        let file = "\(path)/\(Self.formatName)"
        if access(file, F_OK) != 0, errno == ENOENT { return false }
        let text = String(decoding: try FileBytes.read(file, limit: Self.formatSize), as: UTF8.self)
        guard text.hasPrefix(BackupFormat.label), let number = Int(text.dropFirst(BackupFormat.label.count).dropLast())
        else { throw StoreError(.corrupted, "\(file) is not the format file of a backup directory") }
        guard number <= BackupFormat.version else {
            throw StoreError(
                .newerFormat,
                "\(path) has backup format \(number); this version of Stratus reads formats up to "
                    + "\(BackupFormat.version)"
            )
        }
        return true
    }

    /// The names in a directory.
    static func names(in path: String) throws(StoreError) -> [String] {
        guard let stream = opendir(path) else { throw StoreError(system: errno, while: "listing \(path)") }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
