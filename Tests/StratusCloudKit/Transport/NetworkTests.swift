import CloudKit
import StratusCloudModel
import StratusTestSupport
import StratusWorkers
import Testing

@testable import StratusCloudKit

/// The way to a real server, disturbed.
@Suite struct NetworkTests {
    private let tenant: Tenant
    private let proxy: Proxy
    private let directory: TemporaryDirectory

    init() async throws {
        tenant = try await Tenant.shared("Network")
        proxy = try Proxy(to: tenant.cloud.server.url)
        directory = try TemporaryDirectory()
    }

    private var database: CKDatabase {
        CKContainer(
            identifier: tenant.container,
            configuration: StratusConfiguration(
                url: proxy.url, apiToken: tenant.apiToken, webAuthToken: tenant.alice.webAuthToken)
        ).privateCloudDatabase
    }

    /// Three pieces of an upload.
    private func largeFile() throws -> (url: URL, bytes: Data) {
        let url = URL(fileURLWithPath: directory.path + "/" + UUID().uuidString)
        let bytes = Data(RawTransfer.pattern(Int64(AssetTransferLimits.pieceSize) * 2 + 12_345))
        try bytes.write(to: url)
        return (url, bytes)
    }

    @Test func anUploadThatIsCutGoesOnWhereItWas() async throws {
        let file = try largeFile()
        let record = note(Unique.name("asset"))
        record["file"] = CKAsset(fileURL: file.url)
        proxy.cut("/assets/upload/", afterSending: 1_500_000)
        try await database.save(record)
        let uploads = proxy.requests.filter { $0.contains("/assets/upload/") }
        #expect(uploads.contains { $0.hasPrefix("GET ") }, "it asked how far it had got")
        #expect(uploads.count { $0.hasPrefix("POST ") } >= 3, "what was cut, and the rest in its pieces")
        let stored = try await database.record(for: record.recordID)
        #expect(try Data(contentsOf: #require((stored["file"] as? CKAsset)?.fileURL)) == file.bytes)
    }

    @Test func anUploadWhoseAnswerIsCutIsNotSentTwice() async throws {
        let record = note(Unique.name("asset"))
        let url = URL(fileURLWithPath: directory.path + "/small")
        try Data("small".utf8).write(to: url)
        record["file"] = CKAsset(fileURL: url)
        proxy.cut("/assets/upload/", afterReceiving: 10)
        try await database.save(record)
        #expect(proxy.requests.count { $0.contains("/assets/upload/") && $0.hasPrefix("POST ") } == 1)
        #expect(proxy.requests.contains { $0.contains("/assets/upload/") && $0.hasPrefix("GET ") })
    }

    @Test func aDownloadThatIsCutGoesOn() async throws {
        let file = try largeFile()
        let record = note(Unique.name("asset"))
        record["file"] = CKAsset(fileURL: file.url)
        let database = database
        try await database.save(record)
        proxy.cut("/assets/download/", afterReceiving: 2_000_000)
        let stored = try await database.record(for: record.recordID)
        #expect(try Data(contentsOf: #require((stored["file"] as? CKAsset)?.fileURL)) == file.bytes)
        #expect(proxy.requests.count { $0.contains("/assets/download/") } == 4, "the piece that was cut, and no other")
    }

    @Test func cancellingClosesTheConnection() async throws {
        proxy.swallow("zones/list")
        let database = database
        let operation = CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
        let diary = Diary()
        operation.fetchRecordZonesResultBlock = { diary.note("\($0.code?.rawValue ?? 0)") }
        let ended = Task { await end(of: operation) { _ in database.add(operation) } }
        var events = proxy.events.makeAsyncIterator()
        while let event = await events.next(), event != .swallowed {}
        operation.cancel()
        await ended.value
        #expect(diary.text == ["20"])
        while let event = await events.next() {
            guard case .closedByClient(let line) = event, line.contains("zones/list") else { continue }
            break
        }
    }

    @Test func aWriteWhoseAnswerIsCutIsNotSentTwice() async throws {
        proxy.cut("records/modify", afterReceiving: 10)
        let record = note(Unique.name("lost"))
        let database = database
        #expect(await code { try await database.save(record) } == .serverResponseLost)
        #expect(proxy.requests.count { $0.contains("records/modify") } == 1)
        #expect(try await database.record(for: record.recordID).recordChangeTag != nil)
    }

    @Test func aReadWhoseAnswerIsCutIsSentAgain() async throws {
        let database = database
        _ = try await database.allRecordZones()
        proxy.cut("zones/list", afterReceiving: 10)
        #expect(try await !database.allRecordZones().isEmpty)
    }

    /// Nobody waits for a server that is not there.
    @Test func offlineIsSaidAtOnce() async throws {
        let container = CKContainer(
            identifier: tenant.container,
            configuration: StratusConfiguration(url: "http://127.0.0.1:1", apiToken: tenant.apiToken, webAuthToken: "x")
        )
        #expect(await code { _ = try await container.privateCloudDatabase.allRecordZones() } == .networkUnavailable)
        #expect(await code { try await container.privateCloudDatabase.save(note("a")) } == .networkUnavailable)
    }

    @Test func whatTheServerCallsASubscriptionDoesNotEndTheProgram() async throws {
        struct Strange: CloudTransport {
            let isSignedIn = true
            func send(_ request: CloudRequest) async throws(CloudTransportError) -> CloudAnswer {
                if request.call == .currentUser { return .users([UserIdentity(userRecordName: "_me")]) }
                let query = QuerySubscription(
                    query: Query(recordType: "no type!"), firesOn: [.create], firesOnce: false)
                return .subscriptions([.subscription(Subscription(subscriptionID: "s", kind: .query(query)))])
            }
            func upload(
                _ file: LocalFile, to address: String, progress: @escaping @Sendable (Int64) -> Void
            ) async throws(CloudTransportError) -> Asset { throw .cancelled }
            func download(
                from address: String, size: Int64, to file: LocalFile, progress: @escaping @Sendable (Int64) -> Void
            ) async throws(CloudTransportError) { throw .cancelled }
        }
        let database = CKContainer(identifier: "iCloud.x", transport: Strange()).privateCloudDatabase
        let subscriptions = try await database.allSubscriptions()
        #expect((subscriptions.first as? CKQuerySubscription)?.recordType == "no type!")
        #expect(await code { _ = try await database.save(subscriptions[0]) } == .invalidArguments)
    }
}

@Suite struct PauseTests {
    private let list = Pauses.Kind(CloudRequest(.listZones, in: .private))

    private func busy(_ code: CloudError.Code, _ seconds: Int?) -> CloudTransportError {
        .refused(CloudError(code, "busy", retryAfter: seconds), requestUUID: nil)
    }

    private func seconds(_ pauses: inout Pauses, _ kind: Pauses.Kind, at now: Duration) -> Int? {
        guard case .paused(let seconds)? = pauses.refusal(of: kind, at: now) else { return nil }
        return seconds
    }

    @Test(arguments: [CloudError.Code.throttled, .tryAgainLater, .zoneBusy])
    func aKindWaitsAsLongAsItWasAskedTo(_ code: CloudError.Code) {
        let now = Duration.seconds(1_000)
        var pauses = Pauses()
        pauses.note(busy(code, 30), of: list, at: now)
        #expect(seconds(&pauses, list, at: now) == 30)
        #expect(seconds(&pauses, list, at: now + .milliseconds(29_100)) == 1)
        for other in [CloudRequest(.listZones, in: .shared), CloudRequest(.currentUser, in: .private)] {
            #expect(pauses.refusal(of: Pauses.Kind(other), at: now) == nil)
        }
        #expect(pauses.refusal(of: list, at: now + .seconds(30)) == nil)
        #expect(pauses.refusal(of: list, at: now) == nil, "it is over")
    }

    @Test func whatAsksForNothingPausesNothing() {
        let now = Duration.seconds(1_000)
        var pauses = Pauses()
        for error in [busy(.tryAgainLater, nil), busy(.throttled, 0), busy(.badRequest, 9), .failed("x"), .cancelled] {
            pauses.note(error, of: list, at: now)
            #expect(pauses.refusal(of: list, at: now) == nil)
        }
        pauses.note(busy(.throttled, .max), of: list, at: now)
        #expect(seconds(&pauses, list, at: now) == Pauses.longest)
    }

    @Test("14 of the pitfalls: the pause is kept with code 7, without asking")
    func isHonoured() async throws {
        let count = Lock(0)
        let transport = NoTransport(failure: busy(.tryAgainLater, 60)) { count.withLock { $0 += 1 } }
        let database = CKContainer(identifier: "iCloud.x", transport: transport).privateCloudDatabase
        #expect(await code { _ = try await database.allRecordZones() } == .serviceUnavailable)
        do {
            _ = try await database.allRecordZones()
            Issue.record("it was sent")
        } catch {
            let error = try #require(error as? CKError)
            #expect(error.code == .requestRateLimited)
            #expect((1...60).contains(error.retryAfterSeconds ?? 0))
        }
        #expect(count.withLock { $0 } == 1)
        #expect(await code { try await database.save(note("a")) } == .serviceUnavailable, "another kind")
    }
}
