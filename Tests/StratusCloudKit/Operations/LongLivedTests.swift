import CloudKit
import StratusCloudModel
import StratusTestSupport
import Testing

@testable import StratusCloudKit

/// Operations whose process is killed.
@Suite struct LongLivedTests: LongLivedTesting {
    private let tenant: Tenant
    let state: TemporaryDirectory
    private let proxy: Proxy

    init() async throws {
        tenant = try await Tenant.shared("LongLived")
        state = try TemporaryDirectory()
        proxy = try Proxy(to: tenant.cloud.server.url)
    }

    /// The container of this process: through the proxy, with what the killed process left.
    private func container(_ person: Tenant.Person? = nil) -> CKContainer {
        CKContainer(
            identifier: tenant.container,
            configuration: StratusConfiguration(
                url: proxy.url, apiToken: tenant.apiToken, webAuthToken: (person ?? tenant.alice).webAuthToken,
                stateDirectory: state.path, keyStorage: .files(directory: keys.directory)))
    }

    private var database: Database { tenant.privateDatabase }

    /// The record as the server has it now.
    private func stored(_ name: String) async throws -> JSON {
        try await database.lookup([name]).json["records"][0]
    }

    private struct Killed {
        var name = Unique.name("record")
        var id = ""
    }

    /// A process that is killed as soon as `isTime`.
    private func kill(_ title: String, at isTime: (ChildProcess) async throws -> String) async throws -> Killed {
        var killed = Killed()
        let file = state.path + "/" + Unique.name("asset")
        try Data(title.utf8).write(to: URL(fileURLWithPath: file))
        let child = try ChildProcess(
            Tool.beside("StratusTestClient"),
            [
                "long-lived", proxy.url, tenant.container, tenant.apiToken, tenant.alice.webAuthToken, state.path,
                killed.name, title, file,
            ])
        killed.id = try await isTime(child)
        child.send(SIGKILL)
        #expect(await child.ending == .signalled(SIGKILL))
        // The program's own file is nobody's any more.
        try FileManager.default.removeItem(atPath: file)
        return killed
    }

    private func persistedID(_ lines: inout AsyncStream<String>.Iterator) async throws -> String {
        let line = try #require(await lines.next())
        try #require(line.hasPrefix("persisted "), "\(line)")
        return String(line.dropFirst("persisted ".count))
    }

    /// Finds the operation, gives it blocks and adds it.
    private func resume(_ killed: Killed, in container: CKContainer) async throws -> [String] {
        #expect(try await container.allLongLivedOperationIDs() == [killed.id])
        let found = try await container.longLivedOperation(for: killed.id)
        let operation = try #require(found as? CKModifyRecordsOperation)
        #expect(operation.operationID == killed.id && operation.configuration.isLongLived)
        #expect(operation.savePolicy == .changedKeys)
        let diary = Diary()
        operation.perRecordSaveBlock = { recordID, result in
            diary.note("\(recordID.recordName) \((try? result.get())?.recordChangeTag ?? "\(result)")")
        }
        operation.modifyRecordsResultBlock = { diary.note("result \($0.isSuccess)") }
        await end(of: operation) { _ in container.add(operation) }
        #expect(try await container.allLongLivedOperationIDs().isEmpty, "its results were taken")
        #expect(try await container.longLivedOperation(for: killed.id) == nil)
        return diary.text
    }

    @Test func aSaveThatWasNotSentIsSentByAnotherProcess() async throws {
        proxy.swallow("users/caller")
        let killed = try await kill("not sent") { child in
            var lines = child.lines.makeAsyncIterator()
            return try await persistedID(&lines)
        }
        proxy.pass()
        #expect(try await stored(killed.name)["serverErrorCode"].string == "NOT_FOUND")
        let container = container()
        let told = try await resume(killed, in: container)
        let tag = try #require(try await stored(killed.name)["recordChangeTag"].string)
        #expect(told == ["\(killed.name) \(tag)", "result true"])
        let record = try await container.privateCloudDatabase.record(for: .init(recordName: killed.name))
        let asset = try #require(record["picture"] as? CKAsset)
        #expect(try Data(contentsOf: #require(asset.fileURL)) == Data("not sent".utf8))
    }

    @Test func aSaveWhoseAnswerWasLostIsNotDoneTwice() async throws {
        proxy.swallow("records/modify")
        let killed = try await kill("answer lost") { child in
            var lines = child.lines.makeAsyncIterator()
            let id = try await persistedID(&lines)
            for await event in proxy.events where event == .swallowed { break }
            return id
        }
        proxy.pass()
        let first = try #require(try await stored(killed.name)["recordChangeTag"].string)
        // Another device goes on from there; a second save would undo that.
        let other = container()
        let record = try await other.privateCloudDatabase.record(for: .init(recordName: killed.name))
        record["title"] = "newer"
        try await other.privateCloudDatabase.save(record)
        let told = try await resume(killed, in: container())
        #expect(told == ["\(killed.name) \(first)", "result true"])
        #expect(try await stored(killed.name)["fields"]["title"]["value"].string == "newer")
    }

    @Test func resultsThatNobodyTookAreTold() async throws {
        let killed = try await kill("finished") { child in
            var lines = child.lines.makeAsyncIterator()
            let id = try await persistedID(&lines)
            let result = try #require(await lines.next())
            #expect(result.hasPrefix("result success"))
            return id
        }
        let tag = try #require(try await stored(killed.name)["recordChangeTag"].string)
        let before = proxy.requests.count { $0.contains("records/modify") }
        // Without the network, too.
        proxy.stop()
        #expect(try await resume(killed, in: container()) == ["\(killed.name) \(tag)", "result true"])
        #expect(proxy.requests.count { $0.contains("records/modify") } == before)
    }

    @Test func anotherAccountDoesNotGoOn() async throws {
        let killed = try await kill("mine") { child in
            var lines = child.lines.makeAsyncIterator()
            let id = try await persistedID(&lines)
            _ = await lines.next()
            return id
        }
        let bobs = container(tenant.bob)
        let operation = try #require(
            try await bobs.longLivedOperation(for: killed.id) as? CKModifyRecordsOperation)
        let diary = Diary()
        operation.perRecordSaveBlock = { _, _ in diary.note("told") }
        operation.modifyRecordsResultBlock = { diary.note("\($0.code?.rawValue ?? 0)") }
        await end(of: operation) { _ in bobs.add(operation) }
        #expect(diary.text == ["9"])
    }
}
