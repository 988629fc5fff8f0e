/// Times of documents.
enum DocumentLimits {
    /// How long after a change a document saves itself.
    static let autosaveDelay = Duration.seconds(10)
}
