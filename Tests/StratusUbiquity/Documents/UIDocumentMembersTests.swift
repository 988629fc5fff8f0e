import Foundation
import StratusTestSupport
import StratusWaiting
import StratusWorkers
import Testing

@testable import StratusUbiquity

/// A document that overrides what most do not.
@MainActor private final class StampedDocument: UIDocument {
    var text = ""
    /// Called with each error instead of ending it.
    var asks: ((any Error) -> Void)?
    nonisolated let calls = Lock<[String]>([])

    override func contents(forType typeName: String) throws -> Any {
        calls.withLock { $0.append("contents \(typeName)") }
        return text as NSString
    }

    override func fileAttributesToWrite(
        to url: URL, for saveOperation: UIDocument.SaveOperation
    ) throws -> [AnyHashable: Any] {
        [FileAttributeKey.posixPermissions: 0o600]
    }

    nonisolated override func read(from url: URL) throws {
        calls.withLock { $0.append("read \(Thread.isMainThread)") }
        let text = try String(contentsOf: url, encoding: .utf8)
        DispatchQueue.main.sync { MainActor.assumeIsolated { self.text = text } }
    }

    nonisolated override func writeContents(
        _ contents: Any, to url: URL, for saveOperation: UIDocument.SaveOperation, originalContentsURL: URL?
    ) throws {
        calls.withLock { $0.append("write \(Thread.isMainThread) \(originalContentsURL?.lastPathComponent ?? "new")") }
        guard let text = contents as? NSString else { throw CocoaError(.fileWriteUnknown) }
        try Data((text as String).utf8).write(to: url)
    }

    override func handleError(_ error: any Error, userInteractionPermitted: Bool) {
        guard let asks else { return super.handleError(error, userInteractionPermitted: userInteractionPermitted) }
        asks(error)
    }
}

@MainActor @Suite struct UIDocumentMembersTests {
    private let directory: TemporaryDirectory

    init() throws {
        _ = try SignedIn.container()
        directory = try TemporaryDirectory()
    }

    @Test func aDocumentThatWritesByItselfIsCalledInTheBackground() async throws {
        let document = StampedDocument(fileURL: try directory.file("a.note"))
        document.text = "first"
        #expect(await document.save(to: document.fileURL, for: .forCreating))
        document.text = "second"
        document.updateChangeCount(.done)
        #expect(await document.autosave())
        #expect(await document.close())
        let again = StampedDocument(fileURL: document.fileURL)
        #expect(await again.open())
        #expect(again.text == "second")
        await again.close()
        #expect(
            document.calls.withLock { $0 } == [
                "contents public.data", "write false new", "contents public.data", "write false a.note",
            ])
        #expect(again.calls.withLock { $0 } == ["read false"])
        let permissions = try FileManager.default.attributesOfItem(atPath: document.fileURL.path)[.posixPermissions]
        #expect(permissions as? Int == 0o600)
        #expect(document.fileType == "public.data" && document.savingFileType == document.fileType)
        #expect(document.fileNameExtension(forType: nil, saveOperation: .forCreating) == "note")
        #expect(document.progress == nil)
    }

    @Test func revertingDropsChanges() async throws {
        let document = TextDocument(fileURL: try directory.file("a.txt", "old"))
        let other = try directory.file("other.txt", "other")
        await document.open()
        document.text = "unsaved"
        document.updateChangeCount(.done)
        #expect(await document.revert(toContentsOf: other))
        #expect(document.text == "other" && !document.hasUnsavedChanges)
        #expect(document.fileURL.lastPathComponent == "a.txt" && document.edits == ["disable", "enable"])
        #expect(await !document.revert(toContentsOf: try directory.file("none.txt")))
        #expect(document.text == "other" && document.errors.count == 1 && document.edits.last == "enable")
        await document.close()
    }

    @Test func accessInTheBackgroundComesBetweenSaves() async throws {
        let document = TextDocument(fileURL: try directory.file("a.txt"))
        document.text = "saved"
        let saved = Task { await document.save(to: document.fileURL, for: .forCreating) }
        await Task.yield()
        let url = document.fileURL
        let seen = await withCheckedContinuation { continuation in
            document.performAsynchronousFileAccess {
                continuation.resume(returning: FileManager.default.contents(atPath: url.path))
            }
        }
        #expect(await saved.value && seen == Data("saved".utf8))
        await document.close()
    }

    @Test func whatFailedEndsWhenItsErrorIsHandled() async throws {
        let document = StampedDocument(fileURL: try directory.file("none/a.note"))
        let (errors, continuation) = AsyncStream<any Error>.makeStream()
        document.asks = { continuation.yield($0) }
        var ended: Bool?
        document.save(to: document.fileURL, for: .forCreating) { ended = $0 }
        var iterator = errors.makeAsyncIterator()
        let error = try #require(await iterator.next())
        #expect(ended == nil && document.documentState.contains(.savingError))
        document.userInteractionNoLongerPermitted(forError: error)
        document.finishedHandlingError(error, recovered: false)
        #expect(ended == false)
        // A second time nothing waits.
        document.finishedHandlingError(error, recovered: false)
    }

    @Test func aDocumentWithoutContentsIsAnError() async throws {
        let document = UIDocument(fileURL: try directory.file("a.txt", "x"))
        #expect(document.documentState == .closed)
        #expect(await !document.open())
        #expect(await !document.save(to: document.fileURL, for: .forOverwriting))
        #expect(FileManager.default.contents(atPath: document.fileURL.path) == Data("x".utf8))
    }

    @Test func aDocumentThatIsSavedElsewhereIsThere() async throws {
        let document = TextDocument(fileURL: try directory.file("a.txt", "text"))
        await document.open()
        let copy = try directory.file("b.txt")
        #expect(await document.save(to: copy, for: .forCreating))
        #expect(document.fileURL.lastPathComponent == "b.txt")
        document.text = "new"
        document.updateChangeCount(.done)
        #expect(await document.close())
        #expect(FileManager.default.contents(atPath: copy.path) == Data("new".utf8))
        #expect(try String(contentsOf: directory.file("a.txt"), encoding: .utf8) == "text")
    }
}
