/// Limits of imports.
enum ImportLimits {
    /// Bytes of one row of the file.
    static let rowSize = 4 * 1_048_576
    /// Rows sent together.
    static let rowsPerBatch = 200
    /// Bytes of rows sent together, so that a batch fits a request.
    static let batchSize = 4 * 1_048_576
    /// Assets uploaded for a batch, and their bytes: with the batches under way, and those of imports that were cut off,
    /// far below what an account may have uploaded and not saved yet.
    static let uploadsPerBatch = 50
    static let uploadedBytesPerBatch: Int64 = 1 << 30
    /// Batches under way at the same time.
    static let batchesInFlight = 4
    /// Bytes read from the file at a time.
    static let chunkSize = 262_144
    /// Times that a batch is sent when the server asks to try again later.
    static let attempts = 6
    /// Bytes of a progress file.
    static let progressFileSize = 65_536
}
