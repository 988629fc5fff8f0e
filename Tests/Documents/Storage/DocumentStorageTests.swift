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

    @Test func aQueryFindsADocumentByItsName() async throws {
        let name = "\(UUID().uuidString).txt"
        try Data("found".utf8).write(to: documents.appendingPathComponent(name))
        let query = NSMetadataQuery()
        query.searchScopes = [NSMetadataQueryUbiquitousDocumentsScope]
        query.predicate = NSPredicate(format: "%K == %@", NSMetadataItemFSNameKey, name)
        query.start()
        try await wait(for: "the end of gathering") { !query.isGathering }
        query.disableUpdates()
        query.stop()
        #expect(query.resultCount == 1)
        let item = try #require(query.result(at: 0) as? NSMetadataItem)
        let url = try #require(item.value(forAttribute: NSMetadataItemURLKey) as? URL)
        let document = MonkeyDocument(fileURL: url)
        #expect(await document.open())
        #expect(document.documentString == "found")
        await document.close()
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
