import Foundation
import StratusTestSupport
import StratusWaiting
import StratusWorkers
import Testing

@testable import StratusUbiquity

/// `NSFileCoordinator` in one process, as programs use it.
@Suite struct NSFileCoordinatorTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test func accessorsRunOnTheCallersThreadWithItsURL() async throws {
        let file = try directory.file("a.txt", "x")
        let isSame = try await onThread {
            let thread = Thread.current
            return try NSFileCoordinator(filePresenter: nil).read(file) { $0 == file && Thread.current === thread }
        }
        #expect(isSame)
    }

    @Test func aCoordinatorNeverBlocksItself() async throws {
        let file = try directory.file("a.txt", "x")
        let text = try await onThread {
            let coordinator = NSFileCoordinator()
            return try coordinator.write(file) { outer in
                try coordinator.write(outer) { try Data("y".utf8).write(to: $0) }
                return try coordinator.read(outer) { try String(contentsOf: $0, encoding: .utf8) }
            }
        }
        #expect(text == "y")
    }

    @Test func cancelledClaimsFail() async throws {
        let file = try directory.file("a.txt", "x")
        let waiting = NSFileCoordinator()
        let code = try await onThread {
            try NSFileCoordinator().write(file) { _ in
                let result = Lock<Int?>(nil)
                let done = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    do { try waiting.read(file) { _ in } } catch { result.withLock { $0 = (error as NSError).code } }
                    done.signal()
                }
                // Cancelling does nothing before the claim is made.
                while done.wait(timeout: .now() + .milliseconds(1)) == .timedOut { waiting.cancel() }
                return result.withLock { $0 }
            }
        }
        #expect(code == CocoaError.Code.userCancelled.rawValue)
    }

    @Test func whoeverWaitsForAnItemThatMovesGetsItsNewPlace() async throws {
        let file = try directory.file("a.txt", "x")
        let target = try directory.file("b.txt")
        let mover = NSFileCoordinator()
        let reader = Lock<Task<String, any Error>?>(nil)
        try await onThread {
            try mover.write(file, .forMoving) { url in
                reader.withLock { task in
                    task = Task { try await onThread { try NSFileCoordinator().read(file) { $0.lastPathComponent } } }
                }
                while try CoordinationPeer.current().file.read().claims.filter({
                    $0.accesses[0].item == CoordinatedPath.canonical(url)
                }).count < 2 { usleep(1_000) }
                mover.item(at: url, willMoveTo: target)
                try FileManager.default.moveItem(at: url, to: target)
                mover.item(at: url, didMoveTo: target)
            }
        }
        #expect(try await reader.withLock { $0 }?.value == "b.txt")
    }

    @Test func presentersHearOfMovesAndOfNewItems() async throws {
        let file = try directory.file("a.txt", "x")
        let presenters = [RecordingPresenter(file), RecordingPresenter(URL(fileURLWithPath: directory.path))]
        for presenter in presenters { NSFileCoordinator.addFilePresenter(presenter) }
        defer { for presenter in presenters { NSFileCoordinator.removeFilePresenter(presenter) } }
        #expect(NSFileCoordinator.filePresenters.contains { $0 === presenters[0] })
        let target = try directory.file("b.txt")
        let new = try directory.file("c.txt")
        try await onThread {
            let coordinator = NSFileCoordinator()
            try coordinator.write(file, .forMoving) { url in
                try FileManager.default.moveItem(at: url, to: target)
                coordinator.item(at: url, didMoveTo: target)
            }
            try coordinator.write(new) { try Data().write(to: $0) }
        }
        var item = presenters[0].messages.makeAsyncIterator()
        var folder = presenters[1].messages.makeAsyncIterator()
        #expect(await item.next() == "relinquish to writer")
        #expect(await item.next() == "moved b.txt")
        var heard: [String] = []
        while heard.last != "appeared c.txt", let next = await folder.next() { heard.append(next) }
        #expect(heard.contains("appeared c.txt"))
    }

    @Test func aPresenterHearsNothingOfItsOwnCoordinator() async throws {
        let file = try directory.file("a.txt", "x")
        let presenter = RecordingPresenter(file)
        NSFileCoordinator.addFilePresenter(presenter)
        try await onThread {
            try NSFileCoordinator(filePresenter: presenter).write(file) { try Data("y".utf8).write(to: $0) }
            try NSFileCoordinator().read(file, .withoutChanges) { _ in }
        }
        NSFileCoordinator.removeFilePresenter(presenter)
        await withCheckedContinuation { continuation in
            presenter.presentedItemOperationQueue.addOperation { continuation.resume() }
        }
        presenter.continuation.finish()
        #expect(await presenter.messages.reduce(into: []) { $0.append($1) } == ["relinquish to reader", "reacquire"])
    }

    @Test func aPresenterThatCannotSaveMakesReadingFail() async throws {
        let file = try directory.file("a.txt", "x")
        let presenter = RecordingPresenter(file) { _ in throw CocoaError(.fileWriteOutOfSpace) as NSError }
        NSFileCoordinator.addFilePresenter(presenter)
        defer { NSFileCoordinator.removeFilePresenter(presenter) }
        let code = try await onThread { () -> Int? in
            do { try NSFileCoordinator().read(file) { _ in } } catch { return (error as NSError).code }
            return nil
        }
        #expect(code == CocoaError.Code.fileWriteOutOfSpace.rawValue)
    }

    @Test func intentsRunOnTheirQueue() async throws {
        let (from, to) = (try directory.file("a.txt", "x"), try directory.file("b.txt"))
        let queue = OperationQueue()
        let intents = [
            NSFileAccessIntent.readingIntent(with: from),
            NSFileAccessIntent.writingIntent(with: to, options: .forReplacing),
        ]
        let isOnQueue = await withCheckedContinuation { continuation in
            NSFileCoordinator().coordinate(with: intents, queue: queue) { error in
                let copied = Result { try FileManager.default.copyItem(at: intents[0].url, to: intents[1].url) }
                continuation.resume(
                    returning: error == nil && (try? copied.get()) != nil && OperationQueue.current === queue)
            }
        }
        #expect(isOnQueue)
        #expect(try String(contentsOf: to, encoding: .utf8) == "x")
    }

    @Test func preparedAccessesDoNotWaitAnyMore() async throws {
        let files = [try directory.file("a.txt", "x"), try directory.file("b.txt", "y")]
        let texts = try await onThread {
            var error: NSError?
            var texts: [String] = []
            let coordinator = NSFileCoordinator()
            coordinator.prepare(forReadingItemsAt: files, writingItemsAt: [], error: &error) { done in
                texts = files.compactMap { file in
                    try? coordinator.read(file) { try String(contentsOf: $0, encoding: .utf8) }
                }
                done()
            }
            if let error { throw error }
            return texts
        }
        #expect(texts == ["x", "y"])
    }

    @Test func directoriesAreUploadedAsZipFiles() async throws {
        let folder = directory.path + "/folder"
        try FileManager.default.createDirectory(atPath: folder + "/inner", withIntermediateDirectories: true)
        try Data("one".utf8).write(to: URL(fileURLWithPath: folder + "/1.txt"))
        try Data(repeating: 7, count: 1_000_000).write(to: URL(fileURLWithPath: folder + "/inner/2.bin"))
        let list = try await onThread {
            try NSFileCoordinator().read(URL(fileURLWithPath: folder), .forUploading) { url in
                #expect(url.pathExtension == "zip")
                let copy = URL(fileURLWithPath: folder + ".zip")
                try FileManager.default.copyItem(at: url, to: copy)
                return copy.path
            }
        }
        let script = """
            import sys, zipfile
            z = zipfile.ZipFile(sys.argv[1])
            print(z.testzip(), sorted((i.filename, i.file_size) for i in z.infolist()), z.read("folder/1.txt"))
            """
        let python = try ChildProcess("/usr/bin/env", ["python3", "-c", script, list])
        #expect(
            await python.standardOutput == """
                None [('folder/', 0), ('folder/1.txt', 3), ('folder/inner/', 0), ('folder/inner/2.bin', 1000000)] b'one'

                """)
    }

    @Test func symbolicLinksInTheDirectoriesAboveDoNotHideAnItem() throws {
        let file = try directory.file("a.txt", "x")
        let link = directory.path + "-link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: directory.path)
        defer { try? FileManager.default.removeItem(atPath: link) }
        #expect(
            CoordinatedPath.canonical(URL(fileURLWithPath: link + "/a.txt")) == CoordinatedPath.canonical(file))
    }

    @Test func packagesAreKnownByExtensionOrMark() throws {
        for name in ["one.rtfd", "two.drawing", "three.drawing", "four.d"] {
            try FileManager.default.createDirectory(
                atPath: directory.path + "/" + name, withIntermediateDirectories: true)
        }
        FilePackage.mark(directory.path + "/two.drawing")
        let units = ["one.rtfd/a/b", "two.drawing/a", "three.drawing/a", "four.d/x"].map {
            CoordinatedPath.unit(of: directory.path + "/" + $0).dropFirst(directory.path.count + 1)
        }
        #expect(units == ["one.rtfd", "two.drawing", "three.drawing/a", "four.d/x"])
    }
}
