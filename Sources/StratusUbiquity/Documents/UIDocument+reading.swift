import Foundation

/// The person has changed a document since another program's contents began to be read.
struct ChangedMeanwhile: Error {}

/// Contents on their way from the document's queue to the main actor.
///
/// `@unchecked Sendable`: the queue that has read them does not use them any more when the main actor does.
struct CarriedContents: @unchecked Sendable { let contents: Any }

extension UIDocument {
    /// One read of the document.
    struct Reading {
        var number = 0
        /// The changes when it began.
        var changes = ChangeCount.Token()
        /// Whether the contents are not loaded if the person has changed something meanwhile.
        var keepsChanges = false
        var isLoaded = false
    }

    func beginReading(keepsChanges: Bool) -> Reading {
        reading = Reading(number: reading.number + 1, changes: changes.token, keepsChanges: keepsChanges)
        return reading
    }

    /// Loads contents. Changes from this moment on are changes of them, also before the read has ended.
    /// - Throws: ``ChangedMeanwhile``, or the error of `load(fromContents:ofType:)`.
    private func loadUnlessChanged(_ contents: Any) throws {
        countOpenChanges()
        if reading.keepsChanges, hasUnsavedChanges { throw ChangedMeanwhile() }
        try load(fromContents: contents, ofType: fileType)
        reading.isLoaded = true
        forgetChanges()
    }

    func endReading(_ ended: Reading) {
        // A subclass that reads in another way has not shown when it loaded the contents.
        guard reading.number == ended.number, !reading.isLoaded else { return }
        changes.save(ended.changes)
        if hasUnsavedChanges { scheduleAutosave() } else { forgetChanges() }
    }

    nonisolated func coordinatedRead(_ url: URL) throws {
        let isOwnFile = isOwnFile(url)
        var state: (date: Date?, stamp: DocumentStamp?)
        place.withLock { ($0.isReading, $0.contents) = (true, nil) }
        defer { place.withLock { ($0.isReading, $0.contents) = (false, nil) } }
        var failure: NSError?
        var result: Result<Void, any Error>?
        NSFileCoordinator(filePresenter: self).coordinate(readingItemAt: url, options: [], error: &failure) { url in
            result = Result {
                // Before the contents, so that a change between the two is noticed.
                state = (Self.modificationDate(of: url), DocumentStamp(url))
                try read(from: url)
            }
        }
        try outcome(result, failure)
        // Not within the coordinated access: the main thread may wait for the file itself.
        if let carried = place.withLock({ $0.contents }) { try load(carried) }
        if isOwnFile { place.withLock { ($0.modificationDate, $0.stamp) = state } }
    }

    nonisolated func readContents(from url: URL) throws {
        let wrapper = try FileWrapper(url: url)
        let contents: Any = wrapper.isRegularFile ? wrapper.regularFileContents ?? Data() : wrapper
        let carried = CarriedContents(contents: contents)
        let isLater = place.withLock { place in
            if place.isReading { place.contents = carried }
            return place.isReading
        }
        if !isLater { try load(carried) }
    }

    private nonisolated func load(_ carried: CarriedContents) throws {
        let load: @MainActor () throws -> Void = { try self.loadUnlessChanged(carried.contents) }
        if Thread.isMainThread { return try MainActor.assumeIsolated(load) }
        try DispatchQueue.main.sync { try MainActor.assumeIsolated(load) }
    }
}
