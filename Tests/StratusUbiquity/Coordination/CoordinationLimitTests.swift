import Foundation
import Glibc
import StratusTestSupport
import Testing

@testable import StratusUbiquity

/// The limits of what processes exchange.
@Suite struct CoordinationLimitTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private var path: String { directory.path + "/s" }

    /// A message of a number of bytes.
    private func message(_ size: Int) throws -> CoordinationMessage {
        func named(_ length: Int) -> CoordinationMessage {
            .tell(presenter: String(repeating: "p", count: length), event: .changed)
        }
        let frame = try JSONEncoder().encode(named(0)).count
        return named(size - frame)
    }

    @Test func messagesHaveALimitedSize() async throws {
        let listener = try #require(LocalSocket(listeningAt: path))
        // The receiver may have to wait for a thread.
        let sender = try #require(LocalSocket(connectingTo: path, patience: 3_600))
        let receiver = try #require(listener.accept())
        let largest = try message(CoordinationLimits.message)
        async let received = onThread { receiver.receive() }
        #expect(try await onThread { sender.send(largest) })
        #expect(try await received == largest)
        #expect(!sender.send(try message(CoordinationLimits.message + 1)))
        // Nothing of it was sent.
        #expect(sender.send(.wake))
        #expect(receiver.receive() == .wake)
    }

    @Test func aLongerMessageOfAnotherProgramIsNotRead() throws {
        let listener = try #require(LocalSocket(listeningAt: path))
        let sender = try #require(LocalSocket(connectingTo: path))
        let receiver = try #require(listener.accept())
        let size = UInt32(CoordinationLimits.message + 1).littleEndian
        #expect(sender.sendBytes(withUnsafeBytes(of: size) { Array($0) }))
        #expect(receiver.receive() == nil)
    }

    @Test func aProcessThatTakesNothingIsNotWaitedForLong() async throws {
        let listener = try #require(LocalSocket(listeningAt: path))
        let sender = try #require(LocalSocket(connectingTo: path, patience: 0.05))
        let receiver = try #require(listener.accept())
        let largest = try message(CoordinationLimits.message)
        // What the system buffers is less than a few of them.
        #expect(try await onThread { !(0..<16).allSatisfy { _ in sender.send(largest) } })
        withExtendedLifetime(receiver) {}
    }

    @Test func pathsOfSocketsAreAsLongAsLinuxAllows() throws {
        func path(_ length: Int) -> String {
            directory.path + "/" + String(repeating: "s", count: length - directory.path.utf8.count - 1)
        }
        let longest = path(CoordinationLimits.socketPath)
        let listener = try #require(LocalSocket(listeningAt: longest))
        #expect(LocalSocket(connectingTo: longest) != nil)
        #expect(LocalSocket(listeningAt: path(CoordinationLimits.socketPath + 1)) == nil)
        #expect(errno == ENAMETOOLONG)
        withExtendedLifetime(listener) {}
    }

    @Test func aDirectoryThatIsTooDeepForSocketsIsAnError() throws {
        let deep = try directory.runtimeDirectory() + "/" + String(repeating: "d", count: 100)
        #expect {
            try CoordinationPeer(directory: deep)
        } throws: { error in
            let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            return underlying?.code == Int(ENAMETOOLONG)
        }
    }

    @Test func theLedgerHasALimitedSize() throws {
        let file = LedgerFile(directory: directory.path)
        let url = URL(fileURLWithPath: directory.path + "/ledger-1.json")
        let empty = try JSONEncoder().encode(CoordinationLedger())
        let padding = Data(repeating: UInt8(ascii: " "), count: CoordinationLimits.ledger - empty.count)
        try (empty + padding).write(to: url)
        #expect(try file.read() == CoordinationLedger())
        try (empty + padding + Data(" ".utf8)).write(to: url)
        #expect(throws: NSError.self) { try file.read() }
    }

    /// A claim that made the ledger unreadable would end all coordination.
    @Test func aClaimThatWouldExceedItIsRefusedAndLeavesTheLedger() throws {
        let file = LedgerFile(directory: directory.path)
        func request(_ purpose: String) throws {
            _ = try file.update(by: "p") { ledger in
                ledger.request(process: "p", purpose: purpose, presenter: nil, accesses: [])
            }
        }
        try request("small")
        let before = try file.read()
        #expect {
            try request(String(repeating: "x", count: CoordinationLimits.ledger))
        } throws: { error in
            ((error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError)?.code == Int(EFBIG)
        }
        #expect(try file.read() == before)
        try request("another")
    }

    @Test func conversationsAtATimeAreLimited() async throws {
        let peer = try CoordinationPeer(directory: try directory.runtimeDirectory() + "/c")
        let path = peer.file.socketPath(of: peer.name)
        let question = CoordinationMessage.ask(presenter: "none", questions: [])
        var open: [LocalSocket] = []
        for _ in 0..<CoordinationLimits.conversations {
            let socket = try #require(LocalSocket(connectingTo: path))
            #expect(socket.send(question))
            #expect(socket.receive() == .answer(nil))
            open.append(socket)
        }
        let more = try #require(LocalSocket(connectingTo: path))
        _ = more.send(question)
        #expect(more.receive() == nil, "it is closed")
        #expect(open.last?.send(question) == true)
        #expect(open.last?.receive() == .answer(nil))
        withExtendedLifetime(peer) {}
    }
}
