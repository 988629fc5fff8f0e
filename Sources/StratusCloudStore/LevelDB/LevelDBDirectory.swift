import Glibc

/// The directory that a database lies in, with the number of its format in a file of its own: that can be read before
/// LevelDB changes anything.
struct LevelDBDirectory {
    static let name = "stratus.leveldb"
    private static let formatName = "FORMAT"
    private static let formatLabel = "stratus leveldb "
    /// Bytes of files that hold a line.
    private static let longestNote = 64

    let path: String

    /// Whether there is one in a store's directory.
    static func exists(in directory: String) -> Bool { access(directory + "/" + name, F_OK) == 0 }

    /// Makes it in a store's directory if it is not there.
    init(in directory: String) throws(StoreError) { try self.init(path: directory + "/" + Self.name) }

    /// Makes it at a path if it is not there.
    init(path: String) throws(StoreError) {
        self.path = path
        if mkdir(path, 0o700) == 0 {
            try Self.sync(Self.parent(of: path))
        } else if errno != EEXIST {
            throw StoreError(system: errno, while: "creating \(path)")
        }
        guard access(path, R_OK | W_OK | X_OK) == 0 else { throw StoreError(system: errno, while: "opening \(path)") }
    }

    /// The number of the format, nil if the directory is new.
    /// - Throws: ``StoreError/Code/corrupted`` if there is a database, but no number.
    func format() throws(StoreError) -> Int? {
        let file = path + "/" + Self.formatName
        if access(file, F_OK) != 0, errno == ENOENT {
            guard try files().isEmpty else { throw StoreError(.corrupted, "\(file) is missing") }
            return nil
        }
        let text = String(decoding: try Self.contents(of: file, limit: Self.longestNote), as: UTF8.self)
        guard text.hasPrefix(Self.formatLabel), text.hasSuffix("\n"),
            let number = Int(text.dropFirst(Self.formatLabel.count).dropLast()), number > 0
        else { throw StoreError(.corrupted, "\(file) does not hold the number of a format") }
        return number
    }

    /// Notes the number of the format, durably and at once.
    func setFormat(_ number: Int) throws(StoreError) {
        let file = path + "/" + Self.formatName
        let new = file + ".new"
        let descriptor = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreError(system: errno, while: "writing \(new)") }
        defer { close(descriptor) }
        let bytes = Array((Self.formatLabel + "\(number)\n").utf8)
        guard pwrite(descriptor, bytes, bytes.count, 0) == bytes.count, fsync(descriptor) == 0,
            rename(new, file) == 0
        else { throw StoreError(system: errno, while: "writing \(file)") }
        try Self.sync(path)
    }

    /// Whether there is a database, and with it all that must be there from the beginning.
    func hasDatabase() throws(StoreError) -> Bool {
        let names = try files().map(\.name)
        if names.contains("CURRENT") { return true }
        // Made anew, a database that has only lost a file would lose all the others.
        guard let left = names.first(where: { $0.hasSuffix(".ldb") || $0.hasSuffix(".log") }) else { return false }
        throw StoreError(.corrupted, "\(path)/CURRENT is missing, but not \(left): restore a backup")
    }

    /// The file that tells which tables and which log make up the database.
    func manifest() throws(StoreError) -> String {
        let file = path + "/CURRENT"
        let name = String(decoding: try Self.contents(of: file, limit: Self.longestNote), as: UTF8.self)
        guard name.hasPrefix("MANIFEST-"), name.hasSuffix("\n") else {
            throw StoreError(.corrupted, "\(file) does not hold the name of a manifest")
        }
        let manifest = path + "/" + name.dropLast()
        guard access(manifest, F_OK) == 0 || errno != ENOENT else {
            throw StoreError(.corrupted, "\(manifest) is missing: restore a backup")
        }
        return manifest
    }

    /// - Throws: ``StoreError/Code/corrupted`` if the log of a number is missing.
    func requireLog(_ number: UInt64) throws(StoreError) {
        let logs = try files().map(\.name).filter { $0.hasSuffix(".log") }
        guard !logs.contains(where: { UInt64($0.dropLast(4)) == number }) else { return }
        throw StoreError(.corrupted, "the log \(number) is missing in \(path): restore a backup")
    }

    /// The log that a crash may have torn: the newest, because each older one was finished and synced.
    func newestLog() throws(StoreError) -> String? {
        let logs = try files().map(\.name).filter { $0.hasSuffix(".log") }
        func number(_ name: String) -> UInt64 { UInt64(name.dropLast(4)) ?? 0 }
        return logs.max { number($0) < number($1) }.map { path + "/" + $0 }
    }

    /// Bytes in the logs and in the tables.
    func sizes() throws(StoreError) -> [String: UInt64] {
        var sizes: [String: UInt64] = ["log": 0, "tables": 0]
        for (name, size) in try files() {
            if name.hasSuffix(".log") { sizes["log", default: 0] += size }
            if name.hasSuffix(".ldb") { sizes["tables", default: 0] += size }
        }
        return sizes
    }

    /// Whether the disk has `bytes` to spare.
    func hasRoom(for bytes: UInt64) -> Bool {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return false }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize) >= bytes
    }

    /// LevelDB's files, without the note of the format.
    private func files() throws(StoreError) -> [(name: String, size: UInt64)] {
        guard let stream = opendir(path) else { throw StoreError(system: errno, while: "listing \(path)") }
        defer { closedir(stream) }
        var result: [(String, UInt64)] = []
        while let entry = readdir(stream) {
            let name = Self.name(of: entry)
            if name.hasPrefix(".") || name.hasPrefix(Self.formatName) { continue }
            var status = stat()
            // A file that has just gone has no size.
            if stat(path + "/" + name, &status) == 0 { result.append((name, UInt64(status.st_size))) }
        }
        return result
    }

    /// The files of the present state, in the order of their names. Nothing may be written to the database meanwhile,
    /// nor removed until the tables are read; tables may be made.
    func stateFiles() throws(StoreError) -> [StoreFile] {
        let manifest = try manifest()
        let (log, tables, edits) = try LevelDBManifest.contents(of: manifest)
        func path(_ name: some StringProtocol) -> String { "\(Self.name)/\(name)" }
        let manifestName = manifest.split(separator: "/").last ?? ""
        var result = [
            StoreFile(path: path("CURRENT"), content: .bytes(Array("\(manifestName)\n".utf8))),
            StoreFile(
                path: path(Self.formatName),
                content: .bytes(
                    try Self.contents(
                        of: "\(self.path)/\(Self.formatName)", limit: Self.longestNote))),
            StoreFile(path: path(manifestName), content: .bytes(edits)),
        ]
        let names = Set(try files().map(\.name))
        for name in names where name.hasSuffix(".log") {
            guard let number = UInt64(name.dropLast(4)), number >= log else { continue }
            let bytes = try LevelDBLogInspection.contents(of: "\(self.path)/\(name)")
            result.append(StoreFile(path: path(name), content: .bytes(bytes)))
        }
        for number in tables {
            let digits = String(number)
            let name = String(repeating: "0", count: max(0, 6 - digits.count)) + digits + ".ldb"
            guard names.contains(name) else {
                throw StoreError(.corrupted, "the table \(name) is missing in \(self.path): restore a backup")
            }
            result.append(StoreFile(path: path(name), content: .file("\(self.path)/\(name)")))
        }
        return result.sorted { $0.path < $1.path }
    }

    private static func name(of entry: UnsafeMutablePointer<dirent>) -> String {
        withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    private static func parent(of path: String) -> String {
        path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }

    private static func contents(of file: String, limit: Int) throws(StoreError) -> [UInt8] {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreError(system: errno, while: "opening \(file)") }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        guard count >= 0 else { throw StoreError(system: errno, while: "reading \(file)") }
        return Array(bytes.prefix(count))
    }

    private static func sync(_ directory: String) throws(StoreError) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreError(system: errno, while: "opening \(directory)") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw StoreError(system: errno, while: "syncing \(directory)") }
    }
}
