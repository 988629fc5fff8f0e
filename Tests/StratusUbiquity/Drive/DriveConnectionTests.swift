import Foundation
import Glibc
import StratusDeviceCredentials
import StratusTestSupport
import StratusWaiting
import StratusWorkers
import Testing

@testable import StratusUbiquity

/// A container of a test's own, whose agent a test plays.
struct AgentPlace {
    let directory: TemporaryDirectory
    let container: UbiquityContainer
    let address: DriveAddress

    init() throws {
        directory = try TemporaryDirectory()
        let data = URL(fileURLWithPath: directory.path + "/data")
        container = UbiquityContainer(
            identifier: "iCloud.org.example.a", url: data.appendingPathComponent("c"), accountKey: "k", data: data)
        address = DriveAddress(container, variables: ["XDG_RUNTIME_DIR": try directory.runtimeDirectory()])
    }

    var connection: DriveConnection { DriveConnection(at: address) }

    func listen(
        _ controls: any DriveControls, user: uid_t = geteuid(), patience: Double? = nil
    ) throws -> DriveListener {
        try DriveListener(controls, at: address, lock: address.becomeAgent(), user: user, patience: patience)
    }

    /// Sends a request as a program that knows no rules would, and returns the bytes of the answer.
    func sendRaw(_ message: Data, limit: Int = .max) async throws -> Data? {
        let path = address.socket
        return try await onThread {
            guard let socket = LocalSocket(connectingTo: path) else { return nil }
            socket.send(message, limit: limit)
            return socket.receive(limit: DriveLimits.answer)
        }
    }
}

/// Programs and the agent of a container, across the socket.
@Suite struct DriveConnectionTests {
    private let place: AgentPlace
    private let item = DriveItem(
        path: "Documents/ü.txt", recordName: "R", kind: .file, size: 12, modified: Date(timeIntervalSince1970: 5),
        isDownloaded: false, isPinned: true)

    init() throws { place = try AgentPlace() }

    @Test func eachCallReachesTheAgentAndBringsItsAnswer() async throws {
        let controls = StaticControls([item])
        let listener = try place.listen(controls)
        let connection = place.connection
        #expect(try await connection.status().pending == 2)
        #expect(try await connection.items(in: "") == [item])
        try await connection.download("a.txt")
        try await connection.setPinned(true, "a.txt")
        #expect(try await connection.versions(of: "a.txt").map(\.device) == ["laptop"])
        try await connection.restore("a.txt", version: "7")
        #expect(try await connection.recentlyDeleted() == [item])
        #expect(try await connection.restoreDeleted("R") == "a 2.txt")
        #expect(try await connection.conflicts() == [item])
        try await connection.resolve("a.txt", keeping: "current")
        try await connection.settle()
        #expect(try await connection.record(of: "a.txt") == DriveRecord(recordName: "R", contentVersion: 4))
        await #expect(throws: DriveError(.notUploaded, path: "b", "the item is not uploaded yet")) {
            try await connection.evict("b")
        }
        #expect(
            controls.calls == [
                "status", "items ", "download a.txt", "pin true a.txt", "versions a.txt", "restore a.txt 7",
                "recentlyDeleted", "restoreDeleted R", "conflicts", "resolve a.txt current", "settle", "record a.txt",
                "evict b",
            ])
        withExtendedLifetime(listener) {}
    }

    @Test func withoutAnAgentTheErrorSaysSo() async throws {
        await #expect { try await place.connection.status() } throws: { ($0 as? DriveError)?.code == .noAgent }
        let listener = try place.listen(StaticControls())
        listener.stop()
        await #expect { try await place.connection.status() } throws: { ($0 as? DriveError)?.code == .noAgent }
    }

    @Test func oneProcessIsTheAgentAndAStaleSocketIsReplaced() async throws {
        try CoordinationDirectory.prepare((place.address.socket as NSString).deletingLastPathComponent)
        // A process that was killed leaves its socket.
        #expect(LocalSocket(listeningAt: place.address.socket) != nil)
        #expect(FileManager.default.fileExists(atPath: place.address.socket))
        var listener: DriveListener? = try place.listen(StaticControls())
        #expect(try await place.connection.status().container == "c")
        #expect { try place.address.becomeAgent() } throws: { ($0 as? DriveError)?.code == .agentExists }
        #expect(try await place.connection.status().container == "c", "the refused one left it alone")
        listener?.stop()
        listener = nil
        // The thread that accepts may hold it for a moment.
        try await wait(for: "the agent to end") { (try? place.address.becomeAgent()) != nil }
    }

    @Test func aProgramThatGivesUpEndsItsRequestAtTheAgent() async throws {
        let (started, start) = AsyncStream<Void>.makeStream()
        let (cancelled, cancel) = AsyncStream<Void>.makeStream()
        let (never, kept) = AsyncStream<Void>.makeStream()
        defer { kept.finish() }
        let controls = StaticControls(fetch: { (path: String) throws(DriveError) in
            await withTaskCancellationHandler {
                start.yield()
                // Ends when the task is cancelled.
                for await _ in never {}
            } onCancel: {
                cancel.yield()
            }
        })
        let listener = try place.listen(controls)
        let connection = place.connection
        let request = Task { try await connection.download("large.bin") }
        for await _ in started { break }
        request.cancel()
        for await _ in cancelled { break }
        await #expect { try await request.value } throws: { ($0 as? DriveError)?.code == .cancelled }
        withExtendedLifetime(listener) {}
    }

    @Test("'stratus drive run' takes over also from an app with as many connections as it serves")
    func takeoverFromABusyApp() async throws {
        let (place, address) = (place, place.address)
        let (asked, ask) = AsyncStream<Void>.makeStream()
        // Nothing else refers to the listener, which holds the lock of the agent.
        let app = Lock<DriveListener?>(
            try DriveListener(StaticControls(), at: address, lock: address.becomeAgent(), patience: 600) {
                ask.yield()
            })
        let end = Task {
            for await _ in asked { break }
            app.withLock { listener in
                listener?.stop()
                listener = nil
            }
        }
        // Programs that have connected, and say nothing.
        var programs: [LocalSocket] = []
        while (try? await place.connection.status()) != nil {
            programs.append(try #require(LocalSocket(connectingTo: address.socket)))
        }
        // The one that asked last may not be closed yet.
        #expect(programs.count >= DriveLimits.connections - 1)
        let takeover = try await onThread { try address.takeOver {} }
        await end.value
        #expect { try address.becomeAgent() } throws: { ($0 as? DriveError)?.code == .agentExists }
        withExtendedLifetime((takeover, programs)) {}
    }

    @Test func twoHomesOfOneUserHaveTwoAgents() throws {
        let other = URL(fileURLWithPath: place.directory.path + "/other")
        let container = UbiquityContainer(
            identifier: place.container.identifier, url: other, accountKey: "k", data: other)
        let runtime = ["XDG_RUNTIME_DIR": place.directory.path + "/run"]
        #expect(DriveAddress(container, variables: runtime).socket != place.address.socket)
        #expect(DriveAddress(place.container, variables: runtime) == place.address)
    }
}
