import Foundation

// Everything here runs on the document's queue.
extension UIDocument {
    /// The modification date of a file or package; nil if the system does not give one.
    nonisolated static func modificationDate(of url: URL) -> Date? {
        (try? FileManager.default.attributesOfItem(atPath: url.path))?[.modificationDate] as? Date
    }

    nonisolated func coordinatedRead(_ url: URL) throws {
        var failure: NSError?
        var result: Result<Void, any Error>?
        let isOwnFile = isOwnFile(url)
        NSFileCoordinator(filePresenter: self).coordinate(readingItemAt: url, options: [], error: &failure) { url in
            result = Result {
                // The date before the contents, so that a change between the two is noticed.
                let date = Self.modificationDate(of: url)
                try read(from: url)
                if isOwnFile { note(date) }
            }
        }
        try outcome(result, failure)
    }

    private nonisolated func isOwnFile(_ url: URL) -> Bool { url.standardizedFileURL == fileURL.standardizedFileURL }

    /// Notes which state of the file the contents are. On the document's queue, because the next save on it compares.
    private nonisolated func note(_ date: Date?) { place.withLock { $0.modificationDate = date } }

    nonisolated func coordinatedWrite(
        _ contents: Any, _ attributes: [AnyHashable: Any], _ url: URL, _ operation: SaveOperation
    ) throws {
        var failure: NSError?
        var result: Result<Void, any Error>?
        let isOwnFile = isOwnFile(url)
        let options: NSFileCoordinator.WritingOptions = operation == .forCreating ? .forReplacing : []
        let coordinator = NSFileCoordinator(filePresenter: self)
        coordinator.coordinate(writingItemAt: url, options: options, error: &failure) { url in
            result = Result {
                if isOwnFile, operation == .forOverwriting { try keepOutsideChange(url) }
                try writeContents(contents, andAttributes: attributes, safelyTo: url, for: operation)
                if isOwnFile || operation == .forCreating { note(Self.modificationDate(of: url)) }
            }
        }
        try outcome(result, failure)
    }

    private nonisolated func outcome(_ result: Result<Void, any Error>?, _ failure: NSError?) throws {
        guard let result else { throw failure ?? CocoaError(.fileReadUnknown) as NSError }
        try result.get()
    }

    /// Keeps what another program wrote since the document was read, as a version in conflict.
    private nonisolated func keepOutsideChange(_ url: URL) throws {
        guard let known = place.withLock({ $0.modificationDate }), let current = Self.modificationDate(of: url),
            current != known
        else { return }
        _ = try FileVersions.store.add(contentsOf: url, to: url, isConflict: true, savedOn: nil)
    }

    nonisolated func readContents(from url: URL) throws {
        let wrapper = try FileWrapper(url: url)
        let contents: Any = wrapper.isRegularFile ? wrapper.regularFileContents ?? Data() : wrapper
        // The document reads it on the main actor, while this thread waits.
        nonisolated(unsafe) let carried = contents
        let load: @MainActor () throws -> Void = { try self.loadUnlessChanged(carried) }
        if Thread.isMainThread { return try MainActor.assumeIsolated(load) }
        try DispatchQueue.main.sync { try MainActor.assumeIsolated(load) }
    }

    nonisolated func replaceItem(
        _ contents: Any, _ attributes: [AnyHashable: Any]?, _ url: URL, _ operation: SaveOperation
    ) throws {
        let directory = url.deletingLastPathComponent()
        let temporary = directory.appendingPathComponent(".\(url.lastPathComponent).stratus-\(UUID().uuidString)")
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
            try FileWrapper.exchange(temporary, into: url)
        } catch {
            try? FileManager.default.removeItem(at: temporary)
            throw error
        }
        if let wrapper = contents as? FileWrapper { wrapper.noteWritten(at: url) }
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
