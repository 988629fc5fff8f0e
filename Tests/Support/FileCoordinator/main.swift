import Foundation
import Glibc
import StratusUbiquity

// Coordinates files in a process of its own, for tests. Its arguments say what to do, such as `write:PATH`, and its
// standard output what happens. It goes on when somebody opens the named pipe that the variable `GATE` names.

/// Prints a line at once.
@Sendable func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// Waits until somebody has opened the named pipe for writing, and closed it.
func waitAtGate() {
    let gate = ProcessInfo.processInfo.environment["GATE"] ?? ""
    let descriptor = open(gate, O_RDONLY)
    var byte: UInt8 = 0
    _ = read(descriptor, &byte, 1)
    close(descriptor)
}

/// A presenter that says what it is sent.
final class Presenter: NSObject, NSFilePresenter, @unchecked Sendable {
    let presentedItemURL: URL?
    let presentedItemOperationQueue = OperationQueue()
    /// Whether it never answers.
    let hangs: Bool

    init(_ path: String, hangs: Bool) {
        presentedItemURL = URL(fileURLWithPath: path)
        presentedItemOperationQueue.maxConcurrentOperationCount = 1
        self.hangs = hangs
    }

    func relinquishPresentedItem(toReader reader: @escaping ((() -> Void)?) -> Void) {
        say("relinquish to reader")
        if !hangs { reader { say("reacquire") } }
    }

    func relinquishPresentedItem(toWriter writer: @escaping ((() -> Void)?) -> Void) {
        say("relinquish to writer")
        if !hangs { writer { say("reacquire") } }
    }

    func savePresentedItemChanges(completionHandler: @escaping ((any Error)?) -> Void) {
        say("save")
        guard let url = presentedItemURL else { return completionHandler(nil) }
        var error: NSError?
        NSFileCoordinator(filePresenter: self).coordinate(writingItemAt: url, error: &error) { url in
            do { try Data("saved".utf8).write(to: url) } catch { say("error \(error)") }
        }
        completionHandler(error)
    }

    func accommodatePresentedItemDeletion(completionHandler: @escaping ((any Error)?) -> Void) {
        say("accommodate deletion")
        completionHandler(nil)
    }

    func presentedItemDidMove(to newURL: URL) { say("moved \(newURL.lastPathComponent)") }
    func presentedItemDidChange() { say("changed") }
    func presentedSubitemDidAppear(at url: URL) { say("appeared \(url.lastPathComponent)") }
    func presentedSubitemDidChange(at url: URL) { say("changed \(url.lastPathComponent)") }
}

/// Holds an item until the gate opens.
func hold(_ path: String, isWriting: Bool) {
    let url = URL(fileURLWithPath: path)
    var error: NSError?
    let coordinator = NSFileCoordinator(filePresenter: nil)
    let accessor = { (url: URL) in
        say("holding \(url.lastPathComponent)")
        waitAtGate()
    }
    if isWriting {
        coordinator.coordinate(writingItemAt: url, options: [], error: &error, byAccessor: accessor)
    } else {
        coordinator.coordinate(readingItemAt: url, options: [], error: &error, byAccessor: accessor)
    }
    say(error.map { "error \($0.code)" } ?? "released")
}

var presenters: [Presenter] = []
for argument in CommandLine.arguments.dropFirst() {
    let parts = argument.split(separator: ":", maxSplits: 1).map(String.init)
    switch parts[0] {
    case "present", "hang":
        let presenter = Presenter(parts[1], hangs: parts[0] == "hang")
        presenters.append(presenter)
        NSFileCoordinator.addFilePresenter(presenter)
        say("presenting")
    case "read", "write": hold(parts[1], isWriting: parts[0] == "write")
    case "wait": waitAtGate()
    default: say("what is '\(argument)'?")
    }
}
