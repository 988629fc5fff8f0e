/// The person has changed a document since another program's contents began to be read.
struct ChangedMeanwhile: Error {}

extension UIDocument {
    /// One read of the document.
    struct Reading {
        var number: Int
        /// The changes when it began.
        var changes: Int
        /// Whether the contents are not loaded if the person has changed something meanwhile.
        var keepsChanges: Bool
        var isLoaded = false
    }

    func beginReading(keepsChanges: Bool) -> Reading {
        reading = Reading(number: reading.number + 1, changes: changes, keepsChanges: keepsChanges)
        return reading
    }

    /// Loads what was read. Changes from this moment on are changes of it, also before the read has ended.
    /// - Throws: ``ChangedMeanwhile``, or what `load(fromContents:ofType:)` throws.
    func loadUnlessChanged(_ contents: Any) throws {
        if reading.keepsChanges, hasUnsavedChanges { throw ChangedMeanwhile() }
        try load(fromContents: contents, ofType: fileType)
        reading.isLoaded = true
        forgetChanges()
    }

    func endReading(_ ended: Reading) {
        // A subclass that reads in another way has not said when it loaded what it read.
        guard reading.number == ended.number, !reading.isLoaded else { return }
        savedChanges = ended.changes
        if hasUnsavedChanges { return scheduleAutosave() }
        forgetChanges()
    }
}
