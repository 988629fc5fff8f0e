/// Times and numbers of documents.
enum DocumentLimits {
    /// The time between a change of a document and its autosave.
    static let autosaveDelay = Duration.seconds(10)
    /// How long after a save that failed a document saves itself again.
    static let autosaveAfterFailure = Duration.seconds(60)
    /// How often one save follows a document that is moved meanwhile.
    static let movesFollowed = 16
    /// How often a document that is closed saves changes that came during the save before.
    static let savesOfClose = 8
}
