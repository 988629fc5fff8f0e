import Foundation

// Everything here runs on the document's queue.
extension UIDocument {
    /// When a file or package was written, as far as the system says.
    nonisolated static func modificationDate(of url: URL) -> Date? {
        (try? FileManager.default.attributesOfItem(atPath: url.path))?[.modificationDate] as? Date
    }

    nonisolated func coordinatedRead(_ url: URL) throws -> Date? {
        var failure: NSError?
        var result: Result<Date?, any Error>?
        NSFileCoordinator(filePresenter: self).coordinate(readingItemAt: url, options: [], error: &failure) { url in
            result = Result {
                try read(from: url)
                return Self.modificationDate(of: url)
            }
        }
        return try outcome(result, failure)
    }

    nonisolated func coordinatedWrite(
        _ contents: Any, _ attributes: [AnyHashable: Any], _ url: URL, _ operation: SaveOperation, _ mayConflict: Bool
    ) throws -> Date? {
        var failure: NSError?
        var result: Result<Date?, any Error>?
        let options: NSFileCoordinator.WritingOptions = operation == .forCreating ? .forReplacing : []
        let coordinator = NSFileCoordinator(filePresenter: self)
        coordinator.coordinate(writingItemAt: url, options: options, error: &failure) { url in
            result = Result {
                if mayConflict { try keepOutsideChange(url) }
                try writeContents(contents, andAttributes: attributes, safelyTo: url, for: operation)
                return Self.modificationDate(of: url)
            }
        }
        return try outcome(result, failure)
    }

    private nonisolated func outcome(_ result: Result<Date?, any Error>?, _ failure: NSError?) throws -> Date? {
        guard let result else { throw failure ?? CocoaError(.fileReadUnknown) as NSError }
        return try result.get()
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
        let load: @MainActor () throws -> Void = { try self.load(fromContents: carried, ofType: self.fileType) }
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
