import Glibc

extension SQLiteStore: MaintainedStore {
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
    public func verify(_ progress: @escaping @Sendable (_ rows: Int) -> Void) async throws {
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

    /// See ``MaintainedStore/withStateFiles(_:)``. Copies the file first, page by page: in the copy each page has its old
    /// place, so that of two copies the most part is the same.
    public func withStateFiles<Result: Sendable>(
        _ body: @escaping @Sendable ([StoreFile]) throws -> Result
    ) async throws -> Result {
        // One at a time in a directory, which only this process uses.
        let copy = "\(path).\(copyNumber.wrappingAdd(1, ordering: .relaxed).newValue).copy"
        return try await onReader { connection in
            defer { for suffix in ["", "-journal", "-wal", "-shm"] { unlink(copy + suffix) } }
            do {
                let target = try self.connectCopy(copy)
                try connection.copy(to: target)
            }
            return try body([StoreFile(path: Self.fileName, content: .file(copy))])
        }
    }
}
