import Foundation
import StratusTestSupport
import StratusWaiting
import StratusWorkers
import Testing

@testable import StratusUbiquity

/// Changes, saves, reverts and other programs' changes at the same time.
@MainActor @Suite struct UIDocumentRaceTests {
    private let directory: TemporaryDirectory

    init() throws {
        _ = try SignedIn.container()
        directory = try TemporaryDirectory()
    }

    private func open(_ text: String = "old") async throws -> TextDocument {
        let document = TextDocument(fileURL: try directory.file("a.txt", text))
        #expect(await document.open())
        return document
    }

    private func contents(_ url: URL) -> String? {
        FileManager.default.contents(atPath: url.path).map { String(decoding: $0, as: UTF8.self) }
    }

    private func conflicts(_ url: URL) throws -> [String] {
        try (NSFileVersion.unresolvedConflictVersionsOfItem(at: url) ?? []).map {
            try String(contentsOf: $0.url, encoding: .utf8)
        }
    }

    @Test func aChangeWhoseUndoGroupIsOpenIsSavedByClose() async throws {
        let document = try await open()
        document.edit("new")
        #expect(document.hasUnsavedChanges)
        #expect(await document.close())
        #expect(contents(document.fileURL) == "new" && !document.hasUnsavedChanges)
    }

    @Test func aChangeDuringTheSaveOfCloseIsSaved() async throws {
        let document = try await open()
        document.text = "1"
        document.updateChangeCount(.done)
        let isFirst = Lock(true)
        document.whileWriting.withLock {
            $0 = {
                guard
                    isFirst.withLock({ isFirst in
                        defer { isFirst = false }; return isFirst
                    })
                else { return }
                DispatchQueue.main.sync {
                    MainActor.assumeIsolated {
                        document.text = "2"
                        document.updateChangeCount(.done)
                    }
                }
            }
        }
        #expect(await document.close())
        #expect(contents(document.fileURL) == "2")
    }

    @Test func aFileThatAnotherProgramSavesDuringASaveIsKept() async throws {
        let document = try await open()
        let url = document.fileURL
        document.whileWriting.withLock { $0 = { try? Data("theirs".utf8).write(to: url, options: .atomic) } }
        document.text = "mine"
        document.updateChangeCount(.done)
        #expect(await document.autosave())
        #expect(contents(url) == "mine" && document.documentState == .inConflict)
        #expect(try conflicts(url) == ["theirs"])
        document.whileWriting.withLock { $0 = nil }
        #expect(await document.close())
    }

    @Test func aSaveThatCannotKeepAnotherProgramsFileLeavesIt() async throws {
        let document = try await open()
        let url = document.fileURL
        let versions = try FileVersions.store.temporaryDirectory(for: url).deletingLastPathComponent()
        document.whileWriting.withLock {
            $0 = {
                try? Data("theirs".utf8).write(to: url, options: .atomic)
                try? FileManager.default.removeItem(at: versions)
                try? Data().write(to: versions)
            }
        }
        document.text = "mine"
        document.updateChangeCount(.done)
        #expect(await !document.autosave())
        #expect(contents(url) == "theirs" && document.hasUnsavedChanges)
        #expect(document.documentState.contains(.savingError))
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(!names.contains { $0.hasSuffix(".stratus") })
        document.whileWriting.withLock { $0 = nil }
        try FileManager.default.removeItem(at: versions)
        #expect(await document.close())
        #expect(contents(url) == "mine")
        #expect(try conflicts(url) == ["theirs"])
    }

    @Test func anotherProgramsFileIsKeptOnceThoughTheSaveFails() async throws {
        let document = try await open()
        let url = document.fileURL
        try Data("theirs".utf8).write(to: url)
        document.text = "mine"
        document.updateChangeCount(.done)
        // What was written for the save is gone when it is to take its place.
        document.whileWriting.withLock { [path = directory.path] in
            $0 = {
                for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
                where name.hasSuffix(".stratus") {
                    try? FileManager.default.removeItem(atPath: path + "/" + name)
                }
            }
        }
        for _ in 0..<2 { #expect(await !document.autosave()) }
        #expect(contents(url) == "theirs" && document.hasUnsavedChanges)
        document.whileWriting.withLock { $0 = nil }
        #expect(await document.close())
        #expect(contents(url) == "mine")
        #expect(try conflicts(url) == ["theirs"])
    }

    @Test func aSaveFollowsARenameOfWhichTheDocumentIsNotNotifiedYet() async throws {
        let document = try await open()
        let (old, new) = (document.fileURL, try directory.file("b.txt"))
        document.presentedItemOperationQueue.isSuspended = true
        try await onThread {
            let coordinator = NSFileCoordinator()
            try coordinator.write(old, .forMoving) { url in
                try FileManager.default.moveItem(at: url, to: new)
                coordinator.item(at: url, didMoveTo: new)
            }
        }
        document.text = "new"
        document.updateChangeCount(.done)
        #expect(await document.autosave())
        #expect(contents(new) == "new" && contents(old) == nil)
        document.presentedItemOperationQueue.isSuspended = false
        #expect(await document.close())
    }

    @Test func anOpenDocumentThatIsOpenedKeepsItsChanges() async throws {
        let document = try await open()
        document.text = "mine"
        document.updateChangeCount(.done)
        #expect(await document.open())
        #expect(document.text == "mine" && document.hasUnsavedChanges)
        #expect(await document.close())
    }

    @Test func aDocumentThatIsOpenedWhileItClosesIsPresentedAgain() async throws {
        let document = try await open()
        let closing = Task { await document.close() }
        let opening = Task { await document.open() }
        #expect(await closing.value)
        #expect(await opening.value)
        #expect(document.documentState == .normal)
        let url = document.fileURL
        try await onThread { try NSFileCoordinator().write(url) { try Data("theirs".utf8).write(to: $0) } }
        try await wait(for: "the revert") { document.text == "theirs" }
        #expect(await document.close())
    }

    @Test func theMainThreadMayUseTheFileWhileTheDocumentReadsIt() async throws {
        let document = try await open()
        let url = document.fileURL
        for number in 1...20 {
            document.revert(toContentsOf: url, completionHandler: nil)
            var failure: NSError?
            // On behalf of the document, which is not asked to save: it would do so on the main thread.
            NSFileCoordinator(filePresenter: document).coordinate(writingItemAt: url, options: [], error: &failure) {
                url in
                try? Data("\(number)".utf8).write(to: url)
            }
            #expect(failure == nil)
        }
        #expect(await document.revert(toContentsOf: url) && document.text == "20")
        #expect(await document.close())
    }

    @Test func aNewDocumentIsNotInConflictWithAFormerOneOfItsName() async throws {
        let document = try await open()
        let url = document.fileURL
        try Data("theirs".utf8).write(to: url)
        document.text = "mine"
        document.updateChangeCount(.done)
        #expect(await document.close())
        #expect(try conflicts(url) == ["theirs"])
        try FileManager.default.removeItem(at: url)
        let other = TextDocument(fileURL: url)
        #expect(await other.save(to: url, for: .forCreating))
        #expect(other.documentState == .normal)
        #expect(try conflicts(url) == [])
        #expect(await other.close())
    }

    @Test func aDocumentWithTheLongestNameIsSaved() async throws {
        let document = TextDocument(fileURL: try directory.file(String(repeating: "n", count: 251) + ".txt", "old"))
        #expect(await document.open())
        document.text = "new"
        document.updateChangeCount(.done)
        #expect(await document.close())
        #expect(contents(document.fileURL) == "new")
    }

    @Test func aSaveThatFailsIsTriedAgain() async throws {
        let document = try await open()
        document.autosaveDelay = .zero
        document.text = "new"
        try FileManager.default.removeItem(atPath: directory.path)
        document.updateChangeCount(.done)
        try await wait(for: "the failure") { document.documentState.contains(.savingError) }
        #expect(document.isAutosaveScheduled)
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        #expect(await document.close())
        #expect(contents(document.fileURL) == "new")
    }

    // MARK: Packages

    private func openPackage() async throws -> PackageDocument {
        let url = URL(fileURLWithPath: directory.path + "/a.drawing")
        let document = PackageDocument(fileURL: url)
        document.wrapper.addRegularFile(withContents: Data("1".utf8), preferredFilename: "one")
        let inner = FileWrapper(directoryWithFileWrappers: ["two": FileWrapper(regularFileWithContents: Data("1".utf8))]
        )
        inner.preferredFilename = "inner"
        document.wrapper.addFileWrapper(inner)
        #expect(await document.save(to: url, for: .forCreating))
        return document
    }

    @Test func aChildThatIsReplacedDuringASaveIsWrittenByTheNextOne() async throws {
        let document = try await openPackage()
        document.updateChangeCount(.done)
        document.whileWriting.withLock {
            $0 = {
                DispatchQueue.main.sync {
                    MainActor.assumeIsolated {
                        guard let child = document.wrapper.fileWrappers?["one"] else { return }
                        document.wrapper.removeFileWrapper(child)
                        document.wrapper.addRegularFile(withContents: Data("2".utf8), preferredFilename: "one")
                        document.updateChangeCount(.done)
                    }
                }
            }
        }
        #expect(await document.autosave())
        document.whileWriting.withLock { $0 = nil }
        #expect(document.hasUnsavedChanges)
        #expect(await document.close())
        #expect(contents(document.fileURL.appendingPathComponent("one")) == "2")
    }

    @Test func whatAnotherProgramWritesDeepInAPackageIsRead() async throws {
        let document = try await openPackage()
        let url = document.fileURL
        try await onThread {
            try NSFileCoordinator().write(url) { try Data("2".utf8).write(to: $0.appendingPathComponent("inner/two")) }
        }
        try await wait(for: "the revert") {
            document.wrapper.fileWrappers?["inner"]?.fileWrappers?["two"]?.regularFileContents == Data("2".utf8)
        }
        document.updateChangeCount(.done)
        try Data("3".utf8).write(to: url.appendingPathComponent("inner/two"))
        #expect(await document.autosave())
        let version = try #require(NSFileVersion.unresolvedConflictVersionsOfItem(at: url)?.first)
        #expect(contents(version.url.appendingPathComponent("inner/two")) == "3")
        // In place, so that a file that both have would change in both.
        let handle = try FileHandle(forWritingTo: url.appendingPathComponent("one"))
        try handle.write(contentsOf: Data("4".utf8))
        try handle.close()
        #expect(contents(version.url.appendingPathComponent("one")) == "1")
        #expect(await document.close())
    }
}
