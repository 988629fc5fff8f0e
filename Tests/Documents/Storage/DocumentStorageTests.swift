import StratusTestSupport
import StratusWaiting
import Testing

@testable import StratusUbiquity

@MainActor @Suite struct DocumentStorageTests {
    private static let home: TemporaryDirectory? = {
        guard let home = try? TemporaryDirectory() else { return nil }
        UbiquityEnvironment.replacement.withLock {
            // Tests of other modules in this process may have set it, too.
            $0 =
                $0 ?? [
                    "HOME": home.path, "STRATUS_URL": "http://127.0.0.1:1", "STRATUS_WEB_AUTH_TOKEN": "token",
                    "STRATUS_CONTAINER": "iCloud.org.example.default", "STRATUS_DRIVE_AGENT": "off",
                ]
        }
        return home
    }()

    private let documents: URL

    init() throws {
        _ = Self.home
        let name = "iCloud.org.example.\(UUID().uuidString)"
        documents = try #require(FileManager.default.url(forUbiquityContainerIdentifier: name))
            .appendingPathComponent("Documents")
    }

    @Test func theContainerTellsWhetherICloudIsEnabled() {
        #expect(FileManager.default.url(forUbiquityContainerIdentifier: nil) != nil)
        #expect(FileManager.default.ubiquityIdentityToken != nil)
        #expect(UbiquityAccount.current([:]) == nil)
    }

    @Test func aDocumentIsCreatedInTheContainerAndOpened() async {
        let document = MonkeyDocument(fileURL: documents.appendingPathComponent("test.txt"))
        #expect(await document.save(to: document.fileURL, for: .forCreating))
        #expect(await document.open())
        #expect(document.documentString == "(default text)")
        #expect(FileManager.default.isUbiquitousItem(at: document.fileURL))
        await document.close()
    }

    /// The documents of a name that a query finds, as the example looks for them.
    private func find(_ name: String) async throws -> [URL] {
        let query = NSMetadataQuery()
        query.searchScopes = [NSMetadataQueryUbiquitousDocumentsScope]
        query.predicate = NSPredicate(format: "%K == %@", NSMetadataItemFSNameKey, name)
        let (finished, continuation) = AsyncStream<[URL]>.makeStream()
        let observer = NotificationCenter.default.addObserver(
            forName: .NSMetadataQueryDidFinishGathering, object: query, queue: nil
        ) { notification in
            guard let query = notification.object as? NSMetadataQuery else { return }
            query.disableUpdates()
            query.stop()
            let urls = (0..<query.resultCount).map { query.result(at: $0) as? NSMetadataItem }
                .map { $0?.value(forAttribute: NSMetadataItemURLKey) as? URL }
            continuation.yield(urls.compactMap(\.self))
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        #expect(query.start())
        var iterator = finished.makeAsyncIterator()
        return try #require(await iterator.next())
    }

    @Test func aQueryFindsADocumentByItsName() async throws {
        let name = "\(UUID().uuidString).txt"
        try Data("found".utf8).write(to: documents.appendingPathComponent(name))
        let urls = try await find(name)
        #expect(urls.count == 1)
        let document = MonkeyDocument(fileURL: try #require(urls.first))
        #expect(await document.open())
        #expect(document.documentString == "found")
        await document.close()
    }

    @Test func aDocumentThatNoQueryFindsIsCreated() async throws {
        let name = "\(UUID().uuidString).txt"
        #expect(try await find(name).isEmpty)
        let document = MonkeyDocument(fileURL: documents.appendingPathComponent(name))
        #expect(await !document.open(), "there is no file yet")
        #expect(await document.save(to: document.fileURL, for: .forCreating))
        await document.close()
        #expect(try await find(name) == [document.fileURL])
    }

    @Test func aDocumentThatThePersonDeletesClosesAndStaysDeleted() async throws {
        let document = MonkeyDocument(fileURL: documents.appendingPathComponent("test.txt"))
        await document.save(to: document.fileURL, for: .forCreating)
        document.type("unsaved")
        let intent = NSFileAccessIntent.writingIntent(with: document.fileURL, options: .forDeleting)
        await withCheckedContinuation { continuation in
            NSFileCoordinator().coordinate(with: [intent], queue: OperationQueue()) { _ in
                try? FileManager.default.removeItem(at: intent.url)
                continuation.resume()
            }
        }
        try await wait(for: "the document to close") { document.documentState == .closed }
        #expect(await document.close())
        #expect(!FileManager.default.fileExists(atPath: document.fileURL.path))
        #expect(try await find("test.txt").allSatisfy { $0 != document.fileURL })
    }

    @Test func changesAreSavedWithoutBeingAskedFor() async throws {
        let document = MonkeyDocument(fileURL: documents.appendingPathComponent("test.txt"))
        await document.save(to: document.fileURL, for: .forCreating)
        document.autosaveDelay = .zero
        document.type("typed")
        try await wait(for: "the save") {
            FileManager.default.contents(atPath: document.fileURL.path) == Data("typed".utf8)
        }
        await document.close()
    }

    @Test func newDataIsLoadedWhenItComes() async throws {
        let document = MonkeyDocument(fileURL: documents.appendingPathComponent("test.txt"))
        await document.save(to: document.fileURL, for: .forCreating)
        let intent = NSFileAccessIntent.writingIntent(with: document.fileURL)
        await withCheckedContinuation { continuation in
            NSFileCoordinator().coordinate(with: [intent], queue: OperationQueue()) { _ in
                try? Data("from elsewhere".utf8).write(to: intent.url, options: .atomic)
                continuation.resume()
            }
        }
        try await wait(for: "the load") { document.loads == 1 && document.documentString == "from elsewhere" }
        await document.close()
    }

    @Test func aFileMovesIntoTheContainer() async throws {
        let local = try #require(Self.home).path + "/local.txt"
        try Data("mine".utf8).write(to: URL(fileURLWithPath: local))
        let target = documents.appendingPathComponent("local.txt")
        try await Task.detached {
            try FileManager.default.setUbiquitous(true, itemAt: URL(fileURLWithPath: local), destinationURL: target)
        }.value
        #expect(FileManager.default.contents(atPath: target.path) == Data("mine".utf8))
    }

    @Test func filesCanBeLeftOutOfBackups() throws {
        var url = documents.appendingPathComponent("magazine.pdf")
        try Data().write(to: url)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        try url.setResourceValues(values)
        let other = URL(fileURLWithPath: url.path)
        #expect(try other.resourceValues(forKeys: [.isExcludedFromBackupKey]).isExcludedFromBackup == true)
    }
}
