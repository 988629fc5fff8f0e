import Foundation
import StratusTestSupport
import StratusWaiting
import StratusWorkers
import Testing

@testable import StratusUbiquity

/// A document of one text.
@MainActor final class TextDocument: UIDocument {
    var text = ""
    var errors: [any Error] = []
    var edits: [String] = []
    var willDisableEditing: (() -> Void)?
    var didLoad: (() -> Void)?
    /// Called on the document's queue while it is written, before it takes its place.
    nonisolated let whileWriting = Lock<(@Sendable () -> Void)?>(nil)

    override nonisolated func writeContents(
        _ contents: Any, to url: URL, for saveOperation: SaveOperation, originalContentsURL: URL?
    ) throws {
        try super.writeContents(contents, to: url, for: saveOperation, originalContentsURL: originalContentsURL)
        whileWriting.withLock { $0 }?()
    }

    override func contents(forType typeName: String) throws -> Any { Data(text.utf8) }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        guard let data = contents as? Data else { throw CocoaError(.fileReadCorruptFile) }
        text = String(decoding: data, as: UTF8.self)
        didLoad?()
    }

    override func handleError(_ error: any Error, userInteractionPermitted: Bool) {
        errors.append(error)
        super.handleError(error, userInteractionPermitted: userInteractionPermitted)
    }

    override func disableEditing() {
        edits.append("disable")
        willDisableEditing?()
    }
    override func enableEditing() { edits.append("enable") }

    func edit(_ text: String) {
        let old = self.text
        undoManager.registerUndo(withTarget: self) { $0.edit(old) }
        self.text = text
    }
}

/// A document of several files.
@MainActor final class PackageDocument: UIDocument {
    var wrapper = FileWrapper(directoryWithFileWrappers: [:])
    /// Called on the document's queue while it is written, before it takes its place.
    nonisolated let whileWriting = Lock<(@Sendable () -> Void)?>(nil)

    override nonisolated func writeContents(
        _ contents: Any, to url: URL, for saveOperation: SaveOperation, originalContentsURL: URL?
    ) throws {
        try super.writeContents(contents, to: url, for: saveOperation, originalContentsURL: originalContentsURL)
        whileWriting.withLock { $0 }?()
    }

    override func contents(forType typeName: String) throws -> Any { wrapper }
    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        guard let read = contents as? FileWrapper else { throw CocoaError(.fileReadCorruptFile) }
        wrapper = read
    }
}

@MainActor @Suite struct UIDocumentTests {
    private let directory: TemporaryDirectory

    init() throws {
        _ = try SignedIn.container()
        directory = try TemporaryDirectory()
    }

    private func make(_ text: String? = "old") throws -> TextDocument {
        TextDocument(fileURL: try directory.file("a.txt", text))
    }

    private func contents(_ document: UIDocument) -> String? {
        FileManager.default.contents(atPath: document.fileURL.path).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func aDocumentIsOpenedEditedAndClosed() async throws {
        let document = try make()
        #expect(document.documentState == .closed)
        #expect(await document.open())
        #expect(document.documentState == .normal)
        #expect(document.text == "old")
        #expect(document.fileModificationDate != nil && document.localizedName == "a")
        document.text = "new"
        document.updateChangeCount(.done)
        #expect(document.hasUnsavedChanges)
        #expect(await document.close())
        #expect(document.documentState == .closed && !document.hasUnsavedChanges)
        #expect(contents(document) == "new")
    }

    @Test func aDocumentThatIsCreatedIsOpen() async throws {
        let document = try make(nil)
        document.text = "first"
        #expect(await document.save(to: document.fileURL, for: .forCreating))
        #expect(document.documentState == .normal)
        #expect(contents(document) == "first")
        #expect(await document.open())
        #expect(await document.close())
    }

    @Test func observersOnTheMainQueueHearOfStates() async throws {
        let document = try make()
        let (states, continuation) = AsyncStream<UIDocument.State>.makeStream()
        let observer = NotificationCenter.default.addObserver(
            forName: UIDocument.stateChangedNotification, object: document, queue: .main
        ) { _ in continuation.yield(MainActor.assumeIsolated { document.documentState }) }
        defer { NotificationCenter.default.removeObserver(observer) }
        #expect(await document.open())
        var iterator = states.makeAsyncIterator()
        #expect(await iterator.next() == .normal)
        #expect(await document.close())
        #expect(await iterator.next() == .closed)
    }

    @Test func aMissingFileIsAnError() async throws {
        let document = try make(nil)
        #expect(await !document.open())
        #expect(document.errors.count == 1)
        #expect(document.documentState == .closed)
    }

    @Test func changesSaveThemselves() async throws {
        let document = try make()
        await document.open()
        document.autosaveDelay = .zero
        document.text = "new"
        document.updateChangeCount(.done)
        try await wait(for: "the autosave") { contents(document) == "new" && !document.hasUnsavedChanges }
        await document.close()
    }

    @Test func undoingCountsAsAChange() async throws {
        let document = try make()
        await document.open()
        document.undoManager.groupsByEvent = false
        document.undoManager.beginUndoGrouping()
        document.edit("new")
        document.undoManager.endUndoGrouping()
        #expect(document.hasUnsavedChanges && document.undoManager.canUndo)
        document.undoManager.undo()
        #expect(document.text == "old" && !document.hasUnsavedChanges && document.undoManager.canRedo)
        document.undoManager.redo()
        #expect(document.text == "new" && document.hasUnsavedChanges)
        #expect(await document.autosave())
        document.undoManager.undo()
        #expect(document.hasUnsavedChanges)
        await document.close()
        #expect(contents(document) == "old")
    }

    /// One of them may be for another program that wants to read.
    @Test func twoSavesAtTheSameTimeSaveAChangeOnce() async throws {
        let document = try make()
        #expect(await document.open())
        document.updateChangeCount(.done)
        let token = document.changeCountToken(for: .forOverwriting)
        for _ in 0..<2 { document.updateChangeCount(withToken: token, for: .forOverwriting) }
        #expect(!document.hasUnsavedChanges)
        document.updateChangeCount(.done)
        #expect(document.hasUnsavedChanges)
        document.updateChangeCount(withToken: document.changeCountToken(for: .forOverwriting), for: .forOverwriting)
        // What replaces something that was saved and undone is not saved.
        document.updateChangeCount(.undone)
        document.updateChangeCount(.done)
        #expect(document.hasUnsavedChanges)
        #expect(await document.close())
    }

    @Test func changesDuringASaveStayUnsaved() async throws {
        let document = try make()
        await document.open()
        document.text = "1"
        document.updateChangeCount(.done)
        let saved = Task { await document.autosave() }
        await Task.yield()
        document.updateChangeCount(.done)
        #expect(await saved.value)
        #expect(document.hasUnsavedChanges)
        await document.close()
    }

    @Test func aSaveThatFailsIsShownAndNothingIsLost() async throws {
        let document = try make()
        await document.open()
        document.text = "new"
        document.updateChangeCount(.done)
        try FileManager.default.removeItem(atPath: directory.path)
        #expect(await !document.close())
        #expect(document.documentState.contains(.savingError) && !document.documentState.contains(.closed))
        #expect(document.hasUnsavedChanges && document.errors.count == 1)
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        #expect(await document.close())
        #expect(contents(document) == "new")
    }

    @Test func whatAnotherProgramWritesIsRead() async throws {
        let document = try make()
        await document.open()
        let url = document.fileURL
        try await writeFromOutside("theirs", to: url)
        try await wait(for: "the revert") { document.text == "theirs" && document.edits == ["disable", "enable"] }
        #expect(document.documentState == .normal)
        await document.close()
    }

    @Test func changesOnBothSidesAreAConflict() async throws {
        let document = try make()
        await document.open()
        document.text = "mine"
        document.updateChangeCount(.done)
        let url = document.fileURL
        try await writeFromOutside("theirs", to: url)
        #expect(await document.autosave())
        #expect(contents(document) == "mine")
        #expect(document.documentState.contains(.inConflict))
        let versions = try #require(NSFileVersion.unresolvedConflictVersionsOfItem(at: url))
        #expect(try versions.map { try String(contentsOf: $0.url, encoding: .utf8) } == ["theirs"])
        try NSFileVersion.removeOtherVersionsOfItem(at: url)
        for version in versions { version.isResolved = true }
        try await wait(for: "the end of the conflict") { document.documentState == .normal }
        await document.close()
    }

    private func writeFromOutside(_ text: String, to url: URL) async throws {
        try await onThread {
            try NSFileCoordinator().write(url) { try Data(text.utf8).write(to: $0, options: .atomic) }
        }
    }

    /// A person sees the new text, and types at once.
    @Test func aChangeRightAfterARevertHasLoadedIsSaved() async throws {
        let document = try make()
        await document.open()
        var isEdited = false
        document.didLoad = {
            DispatchQueue.main.async {
                MainActor.assumeIsolated {
                    document.text += " and mine"
                    document.updateChangeCount(.done)
                    isEdited = true
                }
            }
        }
        try await writeFromOutside("theirs", to: document.fileURL)
        try await wait(for: "the change") { isEdited && document.edits.last == "enable" }
        #expect(document.hasUnsavedChanges)
        #expect(await document.autosave())
        #expect(contents(document) == "theirs and mine" && document.documentState == .normal)
        #expect((NSFileVersion.unresolvedConflictVersionsOfItem(at: document.fileURL) ?? []).isEmpty)
        await document.close()
    }

    @Test func aChangeWhileAnotherProgramsContentsAreReadIsNotLost() async throws {
        let document = try make()
        await document.open()
        document.willDisableEditing = {
            document.text = "mine"
            document.updateChangeCount(.done)
        }
        try await writeFromOutside("theirs", to: document.fileURL)
        try await wait(for: "the end of the revert") { document.edits == ["disable", "enable"] }
        document.willDisableEditing = nil
        #expect(document.text == "mine" && document.hasUnsavedChanges)
        #expect(await document.autosave())
        #expect(contents(document) == "mine" && document.documentState == .inConflict)
        let versions = NSFileVersion.unresolvedConflictVersionsOfItem(at: document.fileURL) ?? []
        #expect(try versions.map { try String(contentsOf: $0.url, encoding: .utf8) } == ["theirs"])
        await document.close()
    }

    @Test func savesOneAfterAnotherAreNoConflictAndAnOutsideChangeBetweenThemIs() async throws {
        let document = try make()
        await document.open()
        let url = document.fileURL
        let saves = (1...2).map { _ in Task { await document.save(to: url, for: .forOverwriting) } }
        for save in saves { #expect(await save.value) }
        #expect(document.documentState == .normal)
        // Without coordination, so the document does not know of it.
        try Data("theirs".utf8).write(to: url)
        #expect(await document.save(to: url, for: .forOverwriting))
        let versions = NSFileVersion.unresolvedConflictVersionsOfItem(at: url) ?? []
        #expect(try versions.map { try String(contentsOf: $0.url, encoding: .utf8) } == ["theirs"])
        await document.close()
    }

    @Test func aReaderGetsWhatIsUnsaved() async throws {
        let document = try make()
        await document.open()
        document.text = "unsaved"
        document.updateChangeCount(.done)
        let url = document.fileURL
        let text = try await onThread {
            try NSFileCoordinator().read(url) { try String(contentsOf: $0, encoding: .utf8) }
        }
        #expect(text == "unsaved")
        await document.close()
    }

    @Test func aDocumentFollowsItsFileAndClosesWhenThatIsDeleted() async throws {
        let document = try make()
        await document.open()
        let url = document.fileURL
        let renamed = try directory.file("b.txt")
        try await onThread {
            let coordinator = NSFileCoordinator()
            try coordinator.write(url, .forMoving) { url in
                try FileManager.default.moveItem(at: url, to: renamed)
                coordinator.item(at: url, didMoveTo: renamed)
            }
        }
        try await wait(for: "the rename") { document.fileURL.lastPathComponent == "b.txt" }
        document.updateChangeCount(.done)
        try await onThread {
            try NSFileCoordinator().write(renamed, .forDeleting) { try FileManager.default.removeItem(at: $0) }
        }
        #expect(document.documentState == .closed)
        #expect(!FileManager.default.fileExists(atPath: renamed.path))
    }

    @Test func packagesAreDocumentsToo() async throws {
        let document = PackageDocument(fileURL: try directory.file("a.drawing"))
        document.wrapper.addRegularFile(withContents: Data("1".utf8), preferredFilename: "one")
        #expect(await document.save(to: document.fileURL, for: .forCreating))
        document.wrapper.addRegularFile(withContents: Data("2".utf8), preferredFilename: "two")
        document.updateChangeCount(.done)
        #expect(await document.close())
        let again = PackageDocument(fileURL: document.fileURL)
        #expect(await again.open())
        #expect(again.wrapper.fileWrappers?["two"]?.regularFileContents == Data("2".utf8))
        #expect(again.fileType == "com.apple.package")
        await again.close()
    }
}
