import Foundation
import Glibc
import StratusTestSupport
import StratusWaiting
import StratusWorkers
import Testing

@testable import StratusUbiquity

/// Coordination between processes, with real ones.
@Suite struct ProcessesTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test func aWriterInAnotherProcessWaits() async throws {
        let file = try directory.file("a.txt", "x")
        let one = try OtherProcess("write:" + file.path)
        #expect(await one.next() == "holding a.txt")
        let other = try OtherProcess("write:" + file.path)
        try await waitForClaims(of: 2, at: file)
        try await one.open()
        #expect(await one.next() == "released")
        #expect(await other.next() == "holding a.txt")
        try await other.open()
        #expect(await other.next() == "released")
    }

    @Test func readersInTwoProcessesRunTogether() async throws {
        let file = try directory.file("a.txt", "x")
        let processes = try [OtherProcess("read:" + file.path), OtherProcess("read:" + file.path)]
        for process in processes { #expect(await process.next() == "holding a.txt") }
        for process in processes { try await process.open() }
    }

    @Test func aProcessThatIsKilledReleasesWhatItHolds() async throws {
        let file = try directory.file("a.txt", "x")
        let holder = try OtherProcess("write:" + file.path)
        #expect(await holder.next() == "holding a.txt")
        async let text = onThread { try NSFileCoordinator().read(file) { try String(contentsOf: $0, encoding: .utf8) } }
        try await waitForClaims(of: 2, at: file)
        holder.kill()
        #expect(try await text == "x")
    }

    @Test func aPresenterInAnotherProcessSavesBeforeSomebodyReads() async throws {
        let file = try directory.file("a.txt", "old")
        let presenter = try OtherProcess("present:" + file.path, "wait")
        #expect(await presenter.next() == "presenting")
        let text = try await onThread {
            try NSFileCoordinator().read(file) { try String(contentsOf: $0, encoding: .utf8) }
        }
        #expect(text == "saved")
        for line in ["relinquish to reader", "save", "reacquire"] { #expect(await presenter.next() == line) }
    }

    @Test func aPresenterInAnotherProcessIsToldOfChangesAndDeletions() async throws {
        let file = try directory.file("a.txt", "old")
        let presenter = try OtherProcess("present:" + file.path, "present:" + directory.path, "wait")
        for _ in 0..<2 { #expect(await presenter.next() == "presenting") }
        try await onThread { try NSFileCoordinator().write(file) { try Data("new".utf8).write(to: $0) } }
        #expect(await presenter.next() == "relinquish to writer")
        var told: Set<String> = []
        for _ in 0..<3 { told.insert(await presenter.next() ?? "") }
        #expect(told == ["reacquire", "changed", "changed a.txt"])
        try await onThread {
            try NSFileCoordinator().write(file, .forDeleting) { try FileManager.default.removeItem(at: $0) }
        }
        #expect(await presenter.next() == "relinquish to writer")
        #expect(await presenter.next() == "accommodate deletion")
    }

    @Test func whoeverWasRelinquishedToAndDiesLetsThePresenterReturn() async throws {
        let file = try directory.file("a.txt", "x")
        let presenter = RecordingPresenter(file)
        NSFileCoordinator.addFilePresenter(presenter)
        defer { NSFileCoordinator.removeFilePresenter(presenter) }
        let writer = try OtherProcess("write:" + file.path)
        #expect(await writer.next() == "holding a.txt")
        var messages = presenter.messages.makeAsyncIterator()
        #expect(await messages.next() == "relinquish to writer")
        writer.kill()
        #expect(await messages.next() == "reacquire")
    }

    @Test func aPresenterThatHangsBlocksOnlyForSoLong() async throws {
        let file = try directory.file("a.txt", "x")
        let runtime = try directory.runtimeDirectory()
        let presenter = try OtherProcess("hang:" + file.path, "wait", runtime: runtime)
        #expect(await presenter.next() == "presenting")
        let peer = try CoordinationPeer(directory: runtime + "/stratus/coordination", replyLimit: 0.1)
        let access = CoordinatedTarget(writing: file, []).access
        let held = try await onThread {
            try peer.acquire(purpose: "x", presenter: nil, accesses: [access], waiter: CoordinationWaiter())
        }
        #expect(await presenter.next() == "relinquish to writer")
        #expect(held.claim.phase == .running)
        try peer.release(held)
    }

    @Test func aClaimWhoseMessageIsLostIsLookedAtAgain() async throws {
        let file = try directory.file("a.txt", "x")
        let coordination = try directory.runtimeDirectory() + "/stratus/coordination"
        let holder = try CoordinationPeer(directory: coordination)
        let waiting = try CoordinationPeer(directory: coordination, lostMessage: 0.01)
        let access = CoordinatedTarget(writing: file, []).access
        let held = try await onThread {
            try holder.acquire(purpose: "one", presenter: nil, accesses: [access], waiter: CoordinationWaiter())
        }
        // Nobody reaches it any more.
        unlink(waiting.file.socketPath(of: waiting.name))
        async let other = onThread {
            try waiting.acquire(purpose: "other", presenter: nil, accesses: [access], waiter: CoordinationWaiter())
        }
        try await wait(for: "the second claim") { try holder.file.read().claims.count == 2 }
        try holder.release(held)
        try waiting.release(try await other)
        #expect(try holder.file.read().claims.isEmpty)
    }

    @Test func aDirectoryThatOthersMayEnterIsRefused() throws {
        let runtime = try directory.runtimeDirectory()
        try FileManager.default.createDirectory(
            atPath: runtime + "/stratus/coordination", withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755])
        #expect(throws: NSError.self) { try CoordinationPeer(directory: runtime + "/stratus/coordination") }
    }

    /// Waits until this many claims are on a file.
    private func waitForClaims(of count: Int, at url: URL) async throws {
        let path = CoordinatedPath.canonical(url)
        try await wait(for: "\(count) claims on \(path)") {
            try CoordinationPeer.current().file.read().claims.filter { $0.accesses.contains { $0.item == path } }.count
                == count
        }
    }
}
