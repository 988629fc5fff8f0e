import StratusCloudModel

/// Rows that are sent together.
struct ImportBatch: Sendable {
    /// The name of their zone.
    let zone: String
    private(set) var operations: [RecordOperation] = []
    /// The line that each operation came from.
    private(set) var lines: [Int] = []
    private(set) var names: Set<String> = []
    /// Bytes of the rows in the file.
    private(set) var size: Int64 = 0
    /// By their lines, the files of assets that rows name but have no bytes of.
    private(set) var missingFiles: [Int: String] = [:]
    private var uploads = 0
    private var uploadedBytes: Int64 = 0

    init(zone: String) { self.zone = zone }

    var isEmpty: Bool { operations.isEmpty }
    var isFull: Bool {
        operations.count >= ImportLimits.rowsPerBatch || size >= ImportLimits.batchSize
            || uploads >= ImportLimits.uploadsPerBatch || uploadedBytes >= ImportLimits.uploadedBytesPerBatch
    }

    /// Adds a row. A record is named once in a batch.
    mutating func add(_ row: AssetSender.Sent, line: Int, size: Int64) {
        operations.append(RecordOperation(.forceReplace, row.content.input))
        lines.append(line)
        names.insert(row.content.name)
        missingFiles[line] = row.missingFile
        uploads += row.uploads
        uploadedBytes += row.uploadedBytes
        self.size += size
    }
}

/// What became of the rows of a batch.
struct ImportOutcome: Sendable {
    var imported = 0
    var failures: [(line: Int, reason: String)] = []
}
