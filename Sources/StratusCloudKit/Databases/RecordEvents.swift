/// What an operation wants to hear of while it runs.
struct RecordEvents: Sendable {
    /// How much of a record has arrived, 0 to 1.
    var progress: @Sendable (CKRecord.ID, Double) -> Void = { _, _ in }
}
