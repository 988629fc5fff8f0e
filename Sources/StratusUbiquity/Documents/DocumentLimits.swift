/// Times of documents.
enum DocumentLimits {
    /// The time between a change of a document and its autosave.
    static let autosaveDelay = Duration.seconds(10)
}
