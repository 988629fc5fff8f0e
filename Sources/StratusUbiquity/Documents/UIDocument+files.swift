import Foundation

// Everything here runs on the document's queue.
extension UIDocument {
    /// The modification date of a file or package; nil if the system does not give one.
    nonisolated static func modificationDate(of url: URL) -> Date? {
        (try? FileManager.default.attributesOfItem(atPath: url.path))?[.modificationDate] as? Date
    }

    nonisolated func isOwnFile(_ url: URL) -> Bool { url.standardizedFileURL == fileURL.standardizedFileURL }

    /// - Parameter result: Of the access; nil if the coordinator did not allow it.
    nonisolated func outcome(_ result: Result<Void, any Error>?, _ failure: NSError?) throws {
        guard let result else { throw failure ?? CocoaError(.fileReadUnknown) as NSError }
        try result.get()
    }

    /// Writes the document.
    /// - Parameter isOwnFile: Whether it is written where it is, wherever that is by now.
    nonisolated func coordinatedWrite(
        _ contents: Any, _ attributes: [AnyHashable: Any], _ url: URL, _ operation: SaveOperation, isOwnFile: Bool
    ) throws {
        for _ in 0..<DocumentLimits.movesFollowed {
            if isOwnFile { try followMove() }
            var hasMoved = false
            var failure: NSError?
            var result: Result<Void, any Error>?
            NSFileCoordinator(filePresenter: self).coordinate(
                writingItemAt: isOwnFile ? fileURL : url, options: operation == .forCreating ? .forReplacing : [],
                error: &failure
            ) { url in
                result = Result {
                    hasMoved = try isOwnFile && followMove()
                    if !hasMoved { try write(contents, attributes, url, operation, isOwnFile) }
                }
            }
            try outcome(result, failure)
            if !hasMoved { return }
        }
        throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: fileURL.path])
    }

    /// Takes notice of a move of which the presenter was not notified yet.
    /// - Returns: Whether the document was moved.
    @discardableResult
    private nonisolated func followMove() throws -> Bool {
        guard let path = try CoordinationPeer.current().path(of: self), path != CoordinatedPath.canonical(fileURL)
        else {
            return false
        }
        place.withLock { $0.url = URL(fileURLWithPath: path) }
        return true
    }

    private nonisolated func write(
        _ contents: Any, _ attributes: [AnyHashable: Any], _ url: URL, _ operation: SaveOperation, _ isOwnFile: Bool
    ) throws {
        if operation == .forCreating { try resolveConflictsOfFormerItem(at: url) }
        if isOwnFile { try keepOutsideChange(url) }
        place.withLock { $0.isWritten = false }
        try writeContents(contents, andAttributes: attributes, safelyTo: url, for: operation)
        guard isOwnFile || operation == .forCreating else { return }
        let (date, stamp) = (Self.modificationDate(of: url), DocumentStamp(url))
        place.withLock { place in
            place.modificationDate = date
            // A subclass may write in another way.
            if !place.isWritten { place.stamp = stamp }
        }
    }

    /// Keeps the contents that another program wrote since the document was read, as a version in conflict.
    private nonisolated func keepOutsideChange(_ url: URL) throws {
        guard let known = place.withLock({ $0.stamp }), let current = DocumentStamp(url), current != known else {
            return
        }
        try FileVersions.store.add(contentsOf: url, to: url, isConflict: true, savedOn: nil)
        // Not again, if the save fails.
        place.withLock { $0.stamp = current }
    }

    /// Versions in conflict that were left when an item of this name was deleted are in conflict with nothing.
    private nonisolated func resolveConflictsOfFormerItem(at url: URL) throws {
        guard !FileManager.default.fileExists(atPath: url.path) else { return }
        for var entry in FileVersions.store.entries(of: CoordinatedPath.canonical(url))
        where entry.description.server == nil && !entry.description.isResolved {
            entry.description.isResolved = true
            try FileVersions.store.update(entry)
        }
    }

    nonisolated func replaceItem(
        _ contents: Any, _ attributes: [AnyHashable: Any]?, _ url: URL, _ operation: SaveOperation
    ) throws {
        let temporary = FileReplacement.temporaryPlace(beside: url)
        var isReplaced = false
        do {
            let original = operation == .forOverwriting ? url : nil
            try writeContents(contents, to: temporary, for: operation, originalContentsURL: original)
            let named = (attributes ?? [:]).compactMap { key, value in
                (key as? FileAttributeKey ?? (key as? String).map(FileAttributeKey.init(rawValue:))).map { ($0, value) }
            }
            if !named.isEmpty {
                let attributes = Dictionary(named) { $1 }
                try FileManager.default.setAttributes(attributes, ofItemAtPath: temporary.path)
            }
            try FileReplacement.synchronize(temporary)
            let written = DocumentStamp(temporary)
            let isOwnFile = isOwnFile(url)
            let known = operation == .forOverwriting && isOwnFile ? place.withLock { $0.stamp } : nil
            isReplaced = try FileReplacement.exchange(temporary, with: url)
            if isReplaced {
                do { try discard(temporary, of: url, unlessOtherThan: known) } catch {
                    // The save fails, and the other program's file stays.
                    _ = try FileReplacement.exchange(temporary, with: url)
                    isReplaced = false
                    throw error
                }
            }
            if isOwnFile { place.withLock { ($0.stamp, $0.isWritten) = (written, true) } }
        } catch {
            if !isReplaced { try? FileManager.default.removeItem(at: temporary) }
            throw error
        }
        if let wrapper = contents as? FileWrapper { wrapper.noteWritten(at: url) }
    }

    /// Removes the item that was replaced. If it is not the known one, a program has written it without coordination.
    private nonisolated func discard(_ replaced: URL, of url: URL, unlessOtherThan known: DocumentStamp?) throws {
        if let known, known != DocumentStamp(replaced) {
            // Files in a package may be the same as in the item that has taken its place.
            let isPackage = try replaced.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true
            try FileVersions.store.add(
                contentsOf: replaced, to: url, isConflict: true, savedOn: nil, byMoving: !isPackage)
            guard isPackage else { return }
        }
        try FileManager.default.removeItem(at: replaced)
    }

    nonisolated func writeItem(_ contents: Any, to url: URL, _ original: URL?) throws {
        switch contents {
        case let data as Data: try data.write(to: url)
        case let data as NSData: try Data(referencing: data).write(to: url)
        case let wrapper as FileWrapper:
            try wrapper.write(to: url, options: [], originalContentsURL: original)
            // The place may have no extension, as it is a temporary one.
            if wrapper.isDirectory { FilePackage.mark(url.path) }
        default:
            throw CocoaError(
                .fileWriteUnknown,
                userInfo: [
                    NSLocalizedDescriptionKey:
                        "contents(forType:) returns Data or a FileWrapper, not \(type(of: contents))"
                ])
        }
    }
}
