import Foundation
import Glibc
import StratusTestSupport
import StratusWaiting
import StratusWorkers

@testable import StratusUbiquity

/// A process of its own that coordinates files: `Tests/Support/FileCoordinator`.
final class OtherProcess {
    private let process: ChildProcess
    private let directory: TemporaryDirectory
    private var lines: AsyncStream<String>.Iterator
    private var gate: String { directory.path + "/gate" }

    /// - Parameter runtime: The user's runtime directory, if it is not the one of the tests.
    init(_ commands: String..., runtime: String? = nil) throws {
        directory = try TemporaryDirectory()
        mkfifo(directory.path + "/gate", 0o600)
        var environment = ["GATE": directory.path + "/gate"]
        if let runtime { environment["XDG_RUNTIME_DIR"] = runtime }
        process = try ChildProcess(Tool.beside("StratusFileCoordinator"), commands, environment: environment)
        lines = process.lines.makeAsyncIterator()
    }

    /// What it says next; nil after its end.
    func next() async -> String? { await lines.next() }

    /// Lets it go on.
    func open() async throws {
        try await wait(for: "a process at the gate") {
            let descriptor = Glibc.open(gate, O_WRONLY | O_NONBLOCK)
            return descriptor >= 0 && close(descriptor) == 0
        }
    }

    func kill() { process.send(SIGKILL) }
}

/// A presenter that remembers what it was sent.
final class RecordingPresenter: NSObject, NSFilePresenter, @unchecked Sendable {
    // `@unchecked Sendable`: messages come on one queue, one at a time; what they leave is under a lock.
    let presentedItemOperationQueue = OperationQueue()
    let presentedItemURL: URL?
    let (messages, continuation) = AsyncStream<String>.makeStream()
    /// What happens when it is to save.
    let save: @Sendable (RecordingPresenter) throws -> Void

    init(_ url: URL, save: @escaping @Sendable (RecordingPresenter) throws -> Void = { _ in }) {
        presentedItemURL = url
        self.save = save
        presentedItemOperationQueue.maxConcurrentOperationCount = 1
    }

    private func note(_ message: String) { continuation.yield(message) }

    func relinquishPresentedItem(toReader reader: @escaping ((() -> Void)?) -> Void) {
        note("relinquish to reader")
        reader { self.note("reacquire") }
    }

    func relinquishPresentedItem(toWriter writer: @escaping ((() -> Void)?) -> Void) {
        note("relinquish to writer")
        writer { self.note("reacquire") }
    }

    func savePresentedItemChanges(completionHandler: @escaping ((any Error)?) -> Void) {
        note("save")
        do {
            try save(self)
            completionHandler(nil)
        } catch { completionHandler(error) }
    }

    func accommodatePresentedItemDeletion(completionHandler: @escaping ((any Error)?) -> Void) {
        note("accommodate deletion")
        completionHandler(nil)
    }

    func accommodatePresentedSubitemDeletion(at url: URL, completionHandler: @escaping ((any Error)?) -> Void) {
        note("accommodate deletion of \(url.lastPathComponent)")
        completionHandler(nil)
    }

    var observedPresentedItemUbiquityAttributes: Set<URLResourceKey> { [.ubiquitousItemIsUploadedKey] }
    func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>) {
        note("attributes \(attributes.map(\.rawValue).sorted())")
    }

    func presentedItemDidGain(_ version: NSFileVersion) { note("gained version") }
    func presentedItemDidLose(_ version: NSFileVersion) { note("lost version") }
    func presentedItemDidResolveConflict(_ version: NSFileVersion) { note("resolved version") }
    func presentedSubitem(at url: URL, didGain version: NSFileVersion) {
        note("gained version of \(url.lastPathComponent)")
    }
    func presentedSubitem(at url: URL, didLose version: NSFileVersion) {
        note("lost version of \(url.lastPathComponent)")
    }
    func presentedSubitem(at url: URL, didResolve version: NSFileVersion) {
        note("resolved version of \(url.lastPathComponent)")
    }

    func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) {
        note("moved \(oldURL.lastPathComponent) to \(newURL.lastPathComponent)")
    }
    func presentedItemDidMove(to newURL: URL) { note("moved \(newURL.lastPathComponent)") }
    func presentedItemDidChange() { note("changed") }
    func presentedSubitemDidAppear(at url: URL) { note("appeared \(url.lastPathComponent)") }
    func presentedSubitemDidChange(at url: URL) { note("changed \(url.lastPathComponent)") }
}

extension TemporaryDirectory {
    /// The directory of coordination of a user whose runtime directory this is.
    func runtimeDirectory() throws -> String {
        let path = path + "/run"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return path
    }

    func file(_ name: String, _ text: String? = nil) throws -> URL {
        let url = URL(fileURLWithPath: path).appendingPathComponent(name)
        if let text { try Data(text.utf8).write(to: url) }
        return url
    }
}

/// Runs what blocks on a thread that may.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}

extension NSFileCoordinator {
    func read<Value>(_ url: URL, _ options: ReadingOptions = [], _ body: (URL) throws -> Value) throws -> Value {
        var error: NSError?
        var result: Result<Value, any Error>?
        coordinate(readingItemAt: url, options: options, error: &error) { url in result = Result { try body(url) } }
        guard let result else { throw error ?? CocoaError(.featureUnsupported) as NSError }
        return try result.get()
    }

    func write<Value>(_ url: URL, _ options: WritingOptions = [], _ body: (URL) throws -> Value) throws -> Value {
        var error: NSError?
        var result: Result<Value, any Error>?
        coordinate(writingItemAt: url, options: options, error: &error) { url in result = Result { try body(url) } }
        guard let result else { throw error ?? CocoaError(.featureUnsupported) as NSError }
        return try result.get()
    }
}
