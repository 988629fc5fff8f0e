import CloudKit
import Foundation
import StratusCloudModel
import StratusTesting
import StratusWorkers
import Testing

@testable import StratusCloudKit

/// What engines do when the connection that tells of changes is lost.
@Suite struct SyncConnectionTests {
    @Test func aConnectionThatIsThereAgainBringsAFetch() async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        let way = InterruptedTransport(ada.device("b").container.privateCloudDatabase.source.connection.transport)
        let container = CKContainer(identifier: cloud.containerIdentifier, transport: way, keyStore: MemoryKeyStore())
        let b = SyncApp(container.privateCloudDatabase, automatically: true)
        await b.log.wait(for: "didSendChanges")
        let first = await way.line(1)
        let a = SyncApp(ada.device("a").container.privateCloudDatabase)
        a.edit("x", "Hello")
        try await a.send()
        // Nobody said anything so far: notifications went where nobody listens.
        #expect(b.titles.isEmpty)
        first.cut()
        _ = await way.line(2)
        await b.log.wait { $0.contains { $0.fetchedRecords != nil } }
        #expect(b.titles == ["x": "Hello"])
    }
}

/// Another transport, whose notifications come when a test says so: never, here, but for the word that somebody listens.
private final class InterruptedTransport: CloudTransport {
    /// One time that somebody listens.
    final class Line: Sendable {
        private let end = Once<Bool>()
        func cut() { end.arrive(true) }
        func isCut() async { _ = await end.value }
    }

    private let base: any CloudTransport
    private let lines = Lock<[Once<Line>]>([Once(), Once(), Once()])
    private let count = Lock(0)

    init(_ base: any CloudTransport) { self.base = base }

    /// The line that was opened as the so-manieth.
    func line(_ number: Int) async -> Line { await lines.withLock { $0[number - 1] }.value }

    func listen(_ receive: @escaping @Sendable (PushReport) -> Void) async throws(CloudTransportError) {
        let number = count.withLock { count in
            defer { count += 1 }
            return count
        }
        let line = Line()
        receive(.listening)
        lines.withLock { $0.indices.contains(number) ? $0[number] : nil }?.arrive(line)
        await line.isCut()
        throw .failed("the connection is lost")
    }

    var isSignedIn: Bool { base.isSignedIn }
    var accountStatus: CKAccountStatus? { base.accountStatus }
    var uptime: Duration { base.uptime }
    func pause(for duration: Duration) async throws { try await base.pause(for: duration) }
    func pause(until moment: Duration) async throws { try await base.pause(until: moment) }
    func chance() -> Double { base.chance() }
    func send(_ request: CloudRequest) async throws(CloudTransportError) -> CloudAnswer { try await base.send(request) }
    func upload(
        _ file: LocalFile, to address: String, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CloudTransportError) -> Asset { try await base.upload(file, to: address, progress: progress) }
    func download(
        from address: String, size: Int64, to file: LocalFile, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CloudTransportError) {
        try await base.download(from: address, size: size, to: file, progress: progress)
    }
}
