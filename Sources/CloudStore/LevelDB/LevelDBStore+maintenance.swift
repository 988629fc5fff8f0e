import Glibc

extension LevelDBStore {
    /// Reads everything, which checks every checksum. Takes as long as reading it.
    /// - Throws: ``StoreError/Code/corrupted`` with the first problem found.
    public func verify() async throws {
        try await onReader { database in
            try database.withSnapshot { snapshot in
                try Self.forEachRow(database, snapshot) { _, _ in true }
            }
        }
    }

    /// Writes a copy of the present state as a store of its own into an existing, empty directory, durably, while
    /// reading and writing go on.
    /// - Throws: ``StoreError``, also if there is a store in the directory already.
    public func backUp(to directory: String) async throws {
        guard !LevelDBDirectory.exists(in: directory) else {
            throw StoreError(.ioFailure, "there is a store in \(directory) already")
        }
        try await onReader { database in
            let target = try LevelDBDirectory(in: directory)
            let copy = try LevelDBDatabase(path: target.path, mayCreate: true, Options())
            var batch = WriteBatch()
            var failure: StoreError?
            try database.withSnapshot { snapshot in
                try Self.forEachRow(database, snapshot) { key, value in
                    batch.set(row: key, value)
                    guard batch.bytes.count >= Self.copiedAtOnce else { return true }
                    do throws(StoreError) { try copy.write(batch) } catch { failure = error }
                    batch = WriteBatch()
                    return failure == nil
                }
            }
            if let failure { throw failure }
            if !batch.isEmpty { try copy.write(batch) }
            copy.flush()
            // Last of all: without it the copy cannot be opened.
            try target.setFormat(LevelDBMigration.all.last?.format ?? 0)
        }
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
