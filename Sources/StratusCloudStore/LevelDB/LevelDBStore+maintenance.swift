extension LevelDBStore: MaintainedStore {
    /// See ``MaintainedStore/partitions()``.
    public func partitions() async throws -> [Partition] {
        try await onReader { database in
            try database.withSnapshot { try LevelDBPartitions.all(database, $0) }
        }
    }

    /// Reads everything, which checks every checksum. Takes as long as reading it.
    /// - Throws: ``StoreError/Code/corrupted`` with the first problem found.
    public func verify(_ progress: @escaping @Sendable (_ rows: Int) -> Void) async throws {
        try await onReader { database in
            try database.withSnapshot { snapshot in
                var rows = 0
                try Self.forEachRow(database, snapshot) { _, _ in
                    rows += 1
                    if rows == LevelDBLimits.scanLength {
                        progress(rows)
                        rows = 0
                    }
                    return true
                }
                progress(rows)
            }
        }
    }

    /// See ``MaintainedStore/withStateFiles(_:)``. Tables never change; the log, which does, is moved to a table first, so
    /// that little of it is left to be read while writing waits.
    public func withStateFiles<Result: Sendable>(
        _ body: @escaping @Sendable ([StoreFile]) throws -> Result
    ) async throws -> Result {
        let directory = holder.directory
        holder.hold.begin()
        defer { holder.hold.end() }
        try await onReader { $0.flush() }
        // On the thread that runs transactions, and when all that it has run is written, so nothing is written meanwhile.
        // This one writes nothing itself, so the name does not matter.
        let files = try await write(Partition("")) { [committer] _ in
            committer.waitUntilIdle()
            return try directory.stateFiles()
        }
        return try await onMaintenance { try body(files) }
    }

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
