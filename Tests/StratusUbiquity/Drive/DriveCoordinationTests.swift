import Foundation
import StratusTestSupport
import StratusWaiting
import StratusWorkers
import Testing

@testable import StratusUbiquity

/// The changes that an agent makes, as programs with open documents see them.
@Suite struct DriveCoordinationTests {
    private struct Broken: Error {}

    /// A presenter that never makes way.
    private final class HangingPresenter: NSObject, NSFilePresenter, Sendable {
        let presentedItemOperationQueue = OperationQueue()
        let presentedItemURL: URL?

        init(_ url: URL) { presentedItemURL = url }

        func relinquishPresentedItem(toWriter writer: @escaping ((() -> Void)?) -> Void) {}
    }

    /// A presenter that has nothing to save, and whose person types when its file is about to be deleted.
    private final class TypingPresenter: NSObject, NSFilePresenter, Sendable {
        let presentedItemOperationQueue = OperationQueue()
        let presentedItemURL: URL?

        init(_ url: URL) { presentedItemURL = url }

        func accommodatePresentedItemDeletion(completionHandler: @escaping ((any Error)?) -> Void) {
            do {
                if let url = presentedItemURL { try Data("typed".utf8).write(to: url) }
                completionHandler(nil)
            } catch { completionHandler(error) }
        }
    }

    private func prepared(_ name: String = "a.txt") async throws -> (pair: DrivePair, here: URL, there: URL) {
        let pair = try await DrivePair()
        try DrivePair.write("first", to: pair.here.appendingPathComponent(name))
        try await pair.settleFully()
        return (pair, pair.here.appendingPathComponent(name), pair.there.appendingPathComponent(name))
    }

    @Test("an open document reads what another device saved, follows the file, and closes when it is deleted")
    @MainActor func openDocument() async throws {
        let (pair, here, there) = try await prepared()
        let document = TextDocument(fileURL: there)
        #expect(await document.open())
        try DrivePair.write("second", to: here)
        try await pair.settleFully()
        try await wait(for: "the new content") { @MainActor in
            document.text == "second" && document.documentState == .normal
        }
        #expect(document.errors.isEmpty)

        let moved = pair.here.appendingPathComponent("d/b.txt")
        try FileManager.default.createDirectory(
            at: moved.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.moveItem(at: here, to: moved)
        try await pair.settleFully()
        try await wait(for: "the new place") { @MainActor in
            document.fileURL.path == pair.there.appendingPathComponent("d/b.txt").path
        }
        document.text = "third"
        document.updateChangeCount(.done)
        #expect(await document.autosave())
        try await pair.other.settle()
        try await pair.one.settle()
        #expect(DrivePair.text(moved) == "third")
        #expect(DrivePair.text(there) == nil)

        try FileManager.default.removeItem(at: moved)
        try await pair.settleFully()
        try await wait(for: "the end of the document") { @MainActor in document.documentState == .closed }
        #expect(DrivePair.text(pair.there.appendingPathComponent("d/b.txt")) == nil)
        #expect(try await pair.conflicts().isEmpty)
        await pair.stop()
    }

    @Test("a document with changes saves them before its file is replaced, and both contents are kept")
    @MainActor func editedDocument() async throws {
        let (pair, here, there) = try await prepared()
        let document = TextDocument(fileURL: there)
        #expect(await document.open())
        document.text = "edited"
        document.updateChangeCount(.done)
        try DrivePair.write("second", to: here)
        try await pair.settleFully()
        try await pair.settleFully()
        for directory in [pair.here, pair.there] {
            let file = directory.appendingPathComponent("a.txt")
            let versions = NSFileVersion.unresolvedConflictVersionsOfItem(at: file) ?? []
            let texts = [DrivePair.text(file)] + versions.map { DrivePair.text($0.url) }
            #expect(Set(texts) == ["edited", "second"])
        }
        try await wait(for: "the conflict") { @MainActor in document.documentState.contains(.inConflict) }
        #expect(await document.close())
        await pair.stop()
    }

    @Test("a document with changes saves them before its file is deleted, and the file stays")
    @MainActor func editedAndDeletedDocument() async throws {
        let (pair, here, there) = try await prepared()
        let document = TextDocument(fileURL: there)
        #expect(await document.open())
        document.text = "edited"
        document.updateChangeCount(.done)
        try FileManager.default.removeItem(at: here)
        try await pair.settleFully()
        try await pair.settleFully()
        #expect(DrivePair.text(there) == "edited" && DrivePair.text(here) == "edited")
        await pair.stop()
    }

    @Test("a file that a program saves before it is deleted stays, and the program is not asked to close it")
    func savedBeforeDeletion() async throws {
        let (pair, here, there) = try await prepared()
        let presenter = RecordingPresenter(there) { _ in try Data("typed".utf8).write(to: there) }
        try await onThread { NSFileCoordinator.addFilePresenter(presenter) }
        try FileManager.default.removeItem(at: here)
        try await pair.settleFully()
        try await pair.settleFully()
        #expect(DrivePair.text(there) == "typed" && DrivePair.text(here) == "typed")
        try await onThread { NSFileCoordinator.removeFilePresenter(presenter) }
        presenter.continuation.finish()
        var messages: [String] = []
        for await message in presenter.messages { messages.append(message) }
        #expect(messages.contains("save") && !messages.contains("accommodate deletion"))
        await pair.stop()
    }

    @Test("a file into which somebody types while it is about to be deleted stays")
    func typedDuringDeletion() async throws {
        let (pair, here, there) = try await prepared()
        let presenter = TypingPresenter(there)
        try await onThread { NSFileCoordinator.addFilePresenter(presenter) }
        try FileManager.default.removeItem(at: here)
        try await pair.settleFully()
        try await pair.settleFully()
        #expect(DrivePair.text(there) == "typed" && DrivePair.text(here) == "typed")
        try await onThread { NSFileCoordinator.removeFilePresenter(presenter) }
        await pair.stop()
    }

    @Test("a presenter of a folder hears of files that come, change and go")
    func folderPresenter() async throws {
        let (pair, here, there) = try await prepared("d/a.txt")
        let presenter = RecordingPresenter(there.deletingLastPathComponent())
        try await onThread { NSFileCoordinator.addFilePresenter(presenter) }
        // The notice of the file that came before the presenter may be late, and attributes change at any time.
        let changes = presenter.messages.filter { !$0.hasPrefix("attributes") && $0 != "appeared a.txt" }
        var messages = changes.makeAsyncIterator()
        try DrivePair.write("new", to: pair.here.appendingPathComponent("d/b.txt"))
        try await pair.settleFully()
        #expect(await messages.next() == "appeared b.txt")
        try DrivePair.write("second", to: here)
        try await pair.settleFully()
        #expect(await messages.next() == "changed a.txt")
        try FileManager.default.removeItem(at: here)
        try await pair.settleFully()
        #expect(await messages.next() == "accommodate deletion of a.txt")
        #expect(await messages.next() == "changed a.txt")
        try await onThread { NSFileCoordinator.removeFilePresenter(presenter) }
        await pair.stop()
    }

    @Test("a presenter that hangs keeps the agent from its item only, and only as long as it hangs")
    func hangingPresenter() async throws {
        let (pair, here, there) = try await prepared()
        let presenter = HangingPresenter(there)
        try await onThread { NSFileCoordinator.addFilePresenter(presenter) }
        await pair.other.wait(forPrograms: 0.01)
        try DrivePair.write("second", to: here)
        try DrivePair.write("new", to: pair.here.appendingPathComponent("b.txt"))
        try DrivePair.write("sent", to: pair.there.appendingPathComponent("c.txt"))
        try await pair.settleFully()
        #expect(DrivePair.text(there) == "first")
        #expect(DrivePair.text(pair.here.appendingPathComponent("c.txt")) == "sent")
        let failures = try await pair.other.status().failures
        #expect(
            failures.contains { $0.path == "a.txt" && $0.error.text.contains("is used by a program") }, "\(failures)")
        try await onThread { NSFileCoordinator.removeFilePresenter(presenter) }
        await pair.other.wait(forPrograms: DriveLimits.coordination)
        try await pair.settleFully()
        #expect(DrivePair.text(there) == "second")
        #expect(DrivePair.text(pair.there.appendingPathComponent("b.txt")) == "new")
        #expect(try await pair.other.status().failures.isEmpty)
        await pair.stop()
    }

    @Test("a program that does not make way for a new file keeps back only that file")
    func heldPlace() async throws {
        let (pair, _, _) = try await prepared()
        let presenter = HangingPresenter(pair.there.appendingPathComponent("3.txt"))
        try await onThread { NSFileCoordinator.addFilePresenter(presenter) }
        await pair.other.wait(forPrograms: 2)
        await pair.other.placeTogether()
        let names = (0..<6).map { "\($0).txt" }
        for name in names { try DrivePair.write(name, to: pair.here.appendingPathComponent(name)) }
        try await pair.one.settle()
        try await pair.other.settle()
        for name in names {
            #expect(DrivePair.text(pair.there.appendingPathComponent(name)) == (name == "3.txt" ? nil : name))
        }
        #expect(try await pair.other.status().failures.map(\.error.code) == [.failed])
        try await onThread { NSFileCoordinator.removeFilePresenter(presenter) }
        await pair.other.wait(forPrograms: DriveLimits.coordination)
        let downloads = pair.cloud.requests(.downloadAssets).count
        try await pair.other.settle()
        #expect(DrivePair.text(pair.there.appendingPathComponent("3.txt")) == "3.txt")
        #expect(pair.cloud.requests(.downloadAssets).count == downloads)
        await pair.stop()
    }

    @Test("while coordination does not work, files still go to the server, and others come once it works again")
    func brokenCoordination() async throws {
        let (pair, here, there) = try await prepared()
        await pair.other.coordinate { throw Broken() }
        try DrivePair.write("second", to: here)
        try DrivePair.write("sent", to: pair.there.appendingPathComponent("c.txt"))
        try await pair.settleFully()
        #expect(DrivePair.text(there) == "first")
        #expect(DrivePair.text(pair.here.appendingPathComponent("c.txt")) == "sent")
        #expect(try await pair.other.status().failures.map(\.path) == ["a.txt"])
        await pair.other.coordinate { try CoordinationPeer.current() }
        try await pair.settleFully()
        #expect(DrivePair.text(there) == "second")
        await pair.stop()
    }

    @Test("while the processes that coordinate have stopped, a few threads wait, however many items there are")
    func stoppedCoordination() async throws {
        let (pair, _, _) = try await prepared()
        let calls = Lock(0)
        let gate = DispatchGroup()
        gate.enter()
        await pair.other.coordinate {
            calls.withLock { $0 += 1 }
            gate.wait()
            return try CoordinationPeer.current()
        }
        await pair.other.wait(forPrograms: 0.01)
        let names = (0..<3 * DriveLimits.coordinationThreads).map { "\($0).txt" }
        for name in names { try DrivePair.write(name, to: pair.here.appendingPathComponent(name)) }
        try await pair.settleFully()
        #expect(try await pair.other.status().failures.count == names.count)
        #expect(calls.withLock { $0 } == DriveLimits.coordinationThreads)
        gate.leave()
        await pair.other.wait(forPrograms: DriveLimits.coordination)
        try await pair.settleFully()
        for name in names { #expect(DrivePair.text(pair.there.appendingPathComponent(name)) == name) }
        #expect(try await pair.other.status().failures.isEmpty)
        await pair.stop()
    }

    @Test("a program that waits for the agent while the agent waits for the program gets what it wants")
    func mutualWait() async throws {
        let (pair, here, there) = try await prepared()
        try DrivePair.write("wanted", to: pair.here.appendingPathComponent("b.txt"))
        try await pair.settleFully()
        try await pair.other.evict("b.txt")
        await pair.other.wait(forPrograms: 0.1)
        try DrivePair.write("second", to: here)
        try await pair.one.settle()
        let other = pair.other
        let (began, begin) = AsyncStream<Void>.makeStream()
        let (ended, end) = AsyncStream<Void>.makeStream()
        let reading = Task {
            try await onThread {
                try NSFileCoordinator().read(there) { url in
                    begin.yield()
                    // Nothing but the agent's answer lets the accessor return.
                    let semaphore = DispatchSemaphore(value: 0)
                    Task {
                        for await _ in ended { break }
                        semaphore.signal()
                    }
                    semaphore.wait()
                    return DrivePair.text(url)
                }
            }
        }
        for await _ in began { break }
        // On a busy machine the agent may give up what nobody uses, too, and is asked again.
        try await wait(for: "the file") {
            _ = try? await other.download("b.txt")
            return DrivePair.text(pair.there.appendingPathComponent("b.txt")) == "wanted"
        }
        end.yield()
        #expect(try await reading.value == "first")
        await pair.other.wait(forPrograms: DriveLimits.coordination)
        try await pair.settleFully()
        #expect(DrivePair.text(there) == "second")
        await pair.stop()
    }
}
