import Foundation

extension UIDocument {
    typealias Completion = ((Bool) -> Void)?

    /// Work in the background on behalf of a document, and what is done with its result.
    ///
    /// `@unchecked Sendable`: what it carries crosses from the main actor to the document's queue or back once, and is
    /// not used on both sides.
    private struct Carried<Value>: @unchecked Sendable { let value: Value }

    /// Runs `work` on the document's queue and then `finish` on the main actor.
    private func inBackground<Value>(
        _ work: @escaping @Sendable () throws -> Value, finish: @escaping @MainActor (Result<Value, any Error>) -> Void
    ) {
        let finish = Carried(value: finish)
        fileAccess.async {
            let result = Carried(value: Result { try work() })
            DispatchQueue.main.async { MainActor.assumeIsolated { finish.value(result.value) } }
        }
    }

    /// Sends a message that came on the presenter's queue on to the main actor.
    nonisolated func onMain(_ body: @escaping @MainActor (UIDocument) -> Void) {
        DispatchQueue.main.async { MainActor.assumeIsolated { body(self) } }
    }

    nonisolated func onMain(
        _ completion: @escaping ((any Error)?) -> Void,
        _ body: @escaping @MainActor (UIDocument, @escaping ((any Error)?) -> Void) -> Void
    ) {
        let completion = Carried(value: completion)
        DispatchQueue.main.async { MainActor.assumeIsolated { body(self, completion.value) } }
    }

    func startOpening(_ completion: Completion) {
        if isClosing { return afterClosing.append { self.startOpening(completion) } }
        guard documentState.contains(.closed) else {
            completion?(true)
            return
        }
        let reading = beginReading(keepsChanges: false)
        inBackground { [self] in
            NSFileCoordinator.addFilePresenter(self)
            do {
                try coordinatedRead(fileURL)
            } catch {
                NSFileCoordinator.removeFilePresenter(self)
                throw error
            }
        } finish: { result in
            switch result {
            case .success:
                self.documentState.remove(.closed)
                self.endReading(reading)
                self.updateConflictState()
                completion?(true)
            case .failure(let error): self.fail(error, completion)
            }
        }
    }

    func startReverting(to url: URL, _ completion: Completion) {
        countOpenChanges()
        // Somebody who reverts a document drops the changes that it has, and not those that come meanwhile.
        let reading = beginReading(keepsChanges: isFollowing || !hasUnsavedChanges)
        disableEditing()
        documentState.insert(.editingDisabled)
        inBackground { [self] in
            try coordinatedRead(url)
        } finish: { result in
            self.documentState.remove(.editingDisabled)
            if !self.isClosing { self.enableEditing() }
            switch result {
            case .success:
                self.endReading(reading)
                self.updateConflictState()
                completion?(true)
            // The next save keeps the other program's file as a version in conflict.
            case .failure(is ChangedMeanwhile): completion?(false)
            case .failure(let error): self.fail(error, completion)
            }
        }
    }

    func startSaving(to url: URL, for operation: SaveOperation, _ completion: Completion) {
        cancelAutosave()
        countOpenChanges()
        let carried: Carried<(contents: Any, attributes: [AnyHashable: Any])>
        do {
            let contents = try contents(forType: savingFileType ?? "public.data")
            carried = Carried(value: (contents, try fileAttributesToWrite(to: url, for: operation)))
        } catch { return failSaving(error, completion) }
        let token = changeCountToken(for: operation)
        let isOwnFile = operation == .forOverwriting && isOwnFile(url)
        inBackground { [self] in
            let (contents, attributes) = carried.value
            try coordinatedWrite(contents, attributes, url, operation, isOwnFile: isOwnFile)
        } finish: { result in
            switch result {
            case .success: self.finishSaving(to: url, operation, token, completion)
            case .failure(let error): self.failSaving(error, completion)
            }
        }
    }

    private func finishSaving(
        to url: URL, _ operation: SaveOperation, _ token: Any, _ completion: Completion
    ) {
        updateChangeCount(withToken: token, for: operation)
        documentState.remove(.savingError)
        guard operation == .forCreating else {
            // Earlier changes of other programs were not followed, because there were unsaved changes.
            followOutsideChange()
            completion?(true)
            return
        }
        // A document that was created is open, and one that was saved elsewhere is there from now on.
        place.withLock { $0.url = url }
        inBackground {
            NSFileCoordinator.addFilePresenter(self)
        } finish: { _ in
            self.documentState.remove(.closed)
            self.updateConflictState()
            completion?(true)
        }
    }

    private func failSaving(_ error: any Error, _ completion: Completion) {
        documentState.insert(.savingError)
        fail(error, completion)
        if hasUnsavedChanges { scheduleAutosave(after: DocumentLimits.autosaveAfterFailure) }
    }

    private func fail(_ error: any Error, _ completion: Completion) {
        pendingErrors.append { completion?(false) }
        handleError(error, userInteractionPermitted: !documentState.contains(.closed))
    }

    func startClosing(_ completion: Completion) {
        if isClosing { return afterClosing.append { self.startClosing(completion) } }
        guard !documentState.contains(.closed) else {
            completion?(true)
            return
        }
        countOpenChanges()
        disableEditing()
        isClosing = true
        saveAndClose(DocumentLimits.savesOfClose, completion)
    }

    /// - Parameter saves: How often what comes during a save is saved, too.
    private func saveAndClose(_ saves: Int, _ completion: Completion) {
        autosave { isSaved in
            guard isSaved else {
                // Not closed, or what the person wrote would be lost.
                self.endClosing()
                self.enableEditing()
                completion?(false)
                return
            }
            guard self.changes.isSaved || saves == 0 else { return self.saveAndClose(saves - 1, completion) }
            self.finishClosing(saves: saves) {
                completion?(true)
            } again: {
                self.saveAndClose(saves - 1, completion)
            }
        }
    }

    /// - Parameters:
    ///   - saves: How often a change that came meanwhile is still saved, by `again`.
    private func finishClosing(saves: Int, _ done: @escaping () -> Void, again: @escaping () -> Void) {
        inBackground {
            NSFileCoordinator.removeFilePresenter(self)
        } finish: { _ in
            if saves > 0, !self.changes.isSaved {
                return self.inBackground {
                    NSFileCoordinator.addFilePresenter(self)
                } finish: { _ in
                    again()
                }
            }
            self.cancelAutosave()
            self.documentState = .closed
            self.endClosing()
            done()
        }
    }

    private func endClosing() {
        isClosing = false
        let waiting = afterClosing
        afterClosing = []
        for begin in waiting { begin() }
    }
}

extension UIDocument {
    /// Saves because another program wants to read.
    func saveForOthers(_ completion: @escaping ((any Error)?) -> Void) {
        guard hasUnsavedChanges, !documentState.contains(.closed) else { return completion(nil) }
        autosave { completion($0 ? nil : CocoaError(.fileWriteUnknown) as NSError) }
    }

    /// Closes without saving, because another program deletes the file.
    func closeDeleted(_ completion: @escaping ((any Error)?) -> Void) {
        guard !documentState.contains(.closed) else { return completion(nil) }
        disableEditing()
        forgetChanges()
        isClosing = true
        finishClosing(saves: 0) {
            completion(nil)
        } again: {
        }
    }

    /// Reads what another program wrote, unless the person has written something, too: then the next save keeps the
    /// other program's file as a version in conflict.
    func followOutsideChange() {
        guard !documentState.contains(.closed) else { return }
        updateConflictState()
        countOpenChanges()
        guard !isClosing, !hasUnsavedChanges, DocumentStamp(fileURL) != place.withLock({ $0.stamp }) else { return }
        isFollowing = true
        defer { isFollowing = false }
        revert(toContentsOf: fileURL, completionHandler: nil)
    }

    /// Shows whether the file has versions in conflict.
    func updateConflictState() {
        guard !documentState.contains(.closed) else { return }
        let versions = NSFileVersion.unresolvedConflictVersionsOfItem(at: fileURL) ?? []
        if versions.isEmpty { documentState.remove(.inConflict) } else { documentState.insert(.inConflict) }
    }
}
