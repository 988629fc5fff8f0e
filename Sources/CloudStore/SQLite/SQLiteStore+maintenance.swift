import Glibc

extension SQLiteStore: MaintainedStore {
    /// See ``MaintainedStore/nameInDataDirectory``.
    public var nameInDataDirectory: String { Self.fileName }

    /// See ``MaintainedStore/partitions()``.
    public func partitions() async throws -> [Partition] {
        try await onReader { connection in
            let statement = try connection.prepare("SELECT name FROM partition")
            var found: [Partition] = []
            while try statement.next() {
                if let name = statement.text(0) { found.append(Partition(name)) }
            }
            return found
        }
    }

    /// Reads the whole file and checks that everything in it fits together. Takes as long as reading it.
    /// - Throws: ``StoreError/Code/corrupted`` with the first problem found.
    public func verify() async throws {
        let problem = try await onReader { (connection) throws -> String? in
            if let finding = try connection.text("PRAGMA integrity_check(1)"), finding != "ok" { return finding }
            let lost = """
                SELECT (SELECT count(*) FROM entry WHERE p IS NOT NULL) - (SELECT count(*) FROM payload)
                    OR EXISTS (SELECT 1 FROM entry WHERE p IS NOT NULL AND p NOT IN (SELECT id FROM payload))
                """
            return try connection.integer(lost) == 0 ? nil : "tables entry and payload do not match"
        }
        if let problem { throw StoreError(.corrupted, "the database file is damaged: \(problem)") }
    }

    /// Writes a compact copy of the present state to a new file. See ``MaintainedStore/backUp(to:)``.
    /// - Throws: ``StoreError``, also if the file exists.
    public func backUp(to path: String) async throws {
        let partial = path + ".partial"
        try await onReader { (connection) throws -> Void in
            // What a backup left that a crash cut.
            unlink(partial)
            defer { unlink(partial) }
            let quoted = partial.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
            try connection.execute("VACUUM INTO '\(quoted)'")
            try sync(partial)
            // Unlike a renaming, a link replaces nothing.
            guard link(partial, path) == 0 else { throw StoreError(system: errno, while: "making \(path)") }
            let end = path.lastIndex(of: "/")
            try sync(end.map { String(path[...$0]) } ?? ".")
        }
    }
}

private func sync(_ path: String) throws(StoreError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw StoreError(system: errno, while: "opening \(path)") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw StoreError(system: errno, while: "syncing \(path)") }
}
