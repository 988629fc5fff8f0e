import Glibc

extension LevelDBStore: MaintainedStore {
    /// See ``MaintainedStore/nameInDataDirectory``.
    public var nameInDataDirectory: String { LevelDBDirectory.name }

    /// See ``MaintainedStore/partitions()``.
    public func partitions() async throws -> [Partition] {
        try await onReader { try LevelDBPartitions.all($0) }
    }

    /// Reads everything, which checks every checksum. Takes as long as reading it.
    /// - Throws: ``StoreError/Code/corrupted`` with the first problem found.
    public func verify() async throws {
        try await onReader { database in
            try database.withSnapshot { snapshot in
                try Self.forEachRow(database, snapshot) { _, _ in true }
            }
        }
    }

    /// Writes a compact copy of the present state to a new directory. See ``MaintainedStore/backUp(to:)``.
    public func backUp(to path: String) async throws {
        let partial = path + ".partial"
        try await onReader { database in
            // What a backup left that a crash cut.
            LevelDBDirectory.remove(partial)
            defer { LevelDBDirectory.remove(partial) }
            let target = try LevelDBDirectory(path: partial)
            try Self.copy(database, to: target)
            // Last of all: without it the copy cannot be opened.
            try target.setFormat(LevelDBMigration.all.last?.format ?? 0)
            try target.move(to: path)
        }
    }

    private static func copy(_ database: LevelDBDatabase, to target: LevelDBDirectory) throws {
        let copy = try LevelDBDatabase(path: target.path, mayCreate: true, Options())
        let batch = WriteBatch()
        var failure: StoreError?
        try database.withSnapshot { snapshot in
            try forEachRow(database, snapshot) { key, value in
                batch.set(row: key, value)
                guard batch.size >= Self.copiedAtOnce else { return true }
                do throws(StoreError) { try copy.write(batch) } catch { failure = error }
                batch.removeAll()
                return failure == nil
            }
        }
        if let failure { throw failure }
        if !batch.isEmpty { try copy.write(batch) }
        copy.flush()
    }

    private static let copiedAtOnce = 1_048_576

    private static func forEachRow(
        _ database: LevelDBDatabase, _ snapshot: OpaquePointer,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) throws(StoreError) {
        try [UInt8]().withBlob { (first) throws(StoreError) in
            try [0xFF].withBlob { (end) throws(StoreError) in
                try database.forEach(from: first, to: end, isScan: true, snapshot, body)
            }
        }
    }
}
