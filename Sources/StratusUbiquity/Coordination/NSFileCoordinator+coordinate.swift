import Foundation

extension NSFileCoordinator {
    /// Reads an item. Blocks until the accessor has returned.
    public func coordinate(
        readingItemAt url: URL, options: ReadingOptions = [], error: NSErrorPointer, byAccessor reader: (URL) -> Void
    ) {
        run([CoordinatedTarget(reading: url, options)], error) { urls in
            guard options.contains(.forUploading) else { return reader(urls[0]) }
            let snapshot = try UploadSnapshot(of: urls[0])
            defer { snapshot.remove() }
            reader(snapshot.url)
        }
    }

    /// Writes an item. Blocks until the accessor has returned.
    public func coordinate(
        writingItemAt url: URL, options: WritingOptions = [], error: NSErrorPointer, byAccessor writer: (URL) -> Void
    ) {
        run([CoordinatedTarget(writing: url, options)], error) { writer($0[0]) }
    }

    /// Reads one item and writes another. Blocks until the accessor has returned.
    public func coordinate(
        readingItemAt readingURL: URL, options readingOptions: ReadingOptions = [],
        writingItemAt writingURL: URL, options writingOptions: WritingOptions = [],
        error: NSErrorPointer, byAccessor readerWriter: (URL, URL) -> Void
    ) {
        let targets = [
            CoordinatedTarget(reading: readingURL, readingOptions),
            CoordinatedTarget(writing: writingURL, writingOptions),
        ]
        run(targets, error) { readerWriter($0[0], $0[1]) }
    }

    /// Writes two items. Blocks until the accessor has returned.
    public func coordinate(
        writingItemAt url1: URL, options options1: WritingOptions = [],
        writingItemAt url2: URL, options options2: WritingOptions = [],
        error: NSErrorPointer, byAccessor writer: (URL, URL) -> Void
    ) {
        run([CoordinatedTarget(writing: url1, options1), CoordinatedTarget(writing: url2, options2)], error) {
            writer($0[0], $0[1])
        }
    }

    /// Prepares many accesses that the accessor then makes with this coordinator, which need not wait any more. They
    /// are held until it calls its completion handler.
    public func prepare(
        forReadingItemsAt readingURLs: [URL], options readingOptions: ReadingOptions = [],
        writingItemsAt writingURLs: [URL], options writingOptions: WritingOptions = [],
        error: NSErrorPointer, byAccessor batchAccessor: (@escaping () -> Void) -> Void
    ) {
        let targets =
            readingURLs.map { CoordinatedTarget(reading: $0, readingOptions) }
            + writingURLs.map { CoordinatedTarget(writing: $0, writingOptions) }
        report(error) { try hold(targets) { _, release in batchAccessor(release) } }
    }

    /// Reads and writes items without blocking.
    /// - Parameters:
    ///   - queue: Where the accessor runs.
    ///   - accessor: Gets an error, or uses the intents' URLs.
    public func coordinate(
        with intents: [NSFileAccessIntent], queue: OperationQueue, byAccessor accessor: @escaping ((any Error)?) -> Void
    ) {
        // The accessor runs once, on the queue that its owner chose.
        nonisolated(unsafe) let accessor = accessor
        Thread.detachNewThread { [self] in
            do {
                try hold(intents.map(\.target)) { urls, release in
                    for (intent, url) in zip(intents, urls) { intent.url = url }
                    queue.addOperation {
                        accessor(nil)
                        release()
                    }
                }
            } catch {
                queue.addOperation { accessor(error) }
            }
        }
    }

    private func run(_ targets: [CoordinatedTarget], _ error: NSErrorPointer, _ body: ([URL]) throws -> Void) {
        report(error) {
            try hold(targets) { urls, release in
                defer { release() }
                try body(urls)
            }
        }
    }

    private func report(_ pointer: NSErrorPointer, _ body: () throws -> Void) {
        do { try body() } catch { pointer?.pointee = error as NSError }
    }
}
