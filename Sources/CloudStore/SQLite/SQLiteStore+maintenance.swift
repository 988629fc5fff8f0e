import Glibc

extension SQLiteStore {
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

    /// Writes a compact copy of the present state as a store of its own into an existing directory without one,
    /// durably, while reading and writing go on.
    /// - Throws: ``StoreError``, also if there is a store in the directory already.
    public func backUp(to directory: String) async throws {
        let path = directory + "/" + Self.fileName
        try await onReader { (connection) throws -> Void in
            let quoted = path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
            try connection.execute("VACUUM INTO '\(quoted)'")
            try sync(path)
            try sync(directory)
        }
    }
}

private func sync(_ path: String) throws(StoreError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw StoreError(system: errno, while: "opening \(path)") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw StoreError(system: errno, while: "syncing \(path)") }
}
