import CloudKit
import StratusCloudModel
import StratusWorkers
import Testing

@testable import StratusCloudKit

/// What blocks were told, in order.
final class Diary: Sendable {
    private let lines = Lock<[String]>([])
    func note(_ line: String) { lines.withLock { $0.append(line) } }
    var text: [String] { lines.withLock { $0 } }
}

/// Numbers are those of the behaviour cases.
@Suite struct OperationTests {
    /// A zone in which a stale record makes an atomic batch fail.
    private func conflict(_ door: Door) async throws -> (App, CKRecordZone.ID, [CKRecord]) {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        try await app.database.save(note("a", in: zoneID))
        return (app, zoneID, [note("a", in: zoneID), note("b", in: zoneID)])
    }

    @Test("30: the newer blocks: the items fail, the operation does not", arguments: Door.allCases)
    func resultBlocks(_ door: Door) async throws {
        let (app, zoneID, records) = try await conflict(door)
        let diary = Diary()
        let operation = CKModifyRecordsOperation(
            recordsToSave: records, recordIDsToDelete: [.init(recordName: "c", zoneID: zoneID)])
        operation.perRecordSaveBlock = { diary.note("save \($0.recordName) \($1.code?.rawValue ?? 0)") }
        operation.perRecordDeleteBlock = { diary.note("delete \($0.recordName) \($1.code?.rawValue ?? 0)") }
        operation.modifyRecordsResultBlock = { diary.note("result \($0.isSuccess)") }
        await end(of: operation) { _ in app.database.add(operation) }
        #expect(diary.text == ["save a 14", "save b 22", "delete c 22", "result true"])
        #expect(operation.isFinished && !operation.isExecuting)
    }

    @Test("30: the older blocks: a partial failure with every item", arguments: Door.allCases)
    func completionBlocks(_ door: Door) async throws {
        let (app, _, records) = try await conflict(door)
        let diary = Diary()
        let operation = CKModifyRecordsOperation(recordsToSave: records)
        operation.perRecordCompletionBlock = { record, error in
            diary.note("record \(record.recordID.recordName) \((error as? CKError)?.code.rawValue ?? 0)")
        }
        operation.modifyRecordsCompletionBlock = { saved, deleted, error in
            let error = error as? CKError
            let codes = (error?.partialErrorsByItemID ?? [:]).compactMap { key, value in
                (key.base as? CKRecord.ID).map { "\($0.recordName) \((value as NSError).code)" }
            }
            diary.note(
                "completion \(saved?.count ?? -1) \(deleted?.count ?? -1) \(error?.code.rawValue ?? 0) \(codes.sorted())"
            )
        }
        await end(of: operation) { _ in app.database.add(operation) }
        #expect(diary.text == ["record a 14", "record b 22", #"completion 0 0 2 ["a 14", "b 22"]"#])
    }

    @Test("dependencies, other queues and databases", arguments: Door.allCases)
    func dependencies(_ door: Door) async throws {
        let app = try await door.open()
        let zone = CKRecordZone(zoneName: "Notes")
        let diary = Diary()
        let first = CKModifyRecordZonesOperation(recordZonesToSave: [zone])
        first.database = app.database
        first.perRecordZoneSaveBlock = { diary.note("zone \($0.zoneName) \($1.isSuccess)") }
        first.modifyRecordZonesResultBlock = { diary.note("zones \($0.isSuccess)") }
        let second = CKModifyRecordsOperation(recordsToSave: [note("a", in: zone.zoneID)])
        second.configuration.qualityOfService = .utility
        second.configuration = {
            let configuration = CKOperation.Configuration()
            configuration.container = app.alice
            return configuration
        }()
        second.modifyRecordsResultBlock = { diary.note("records \($0.isSuccess)") }
        second.addDependency(first)
        let queue = OperationQueue()
        queue.addOperation(second)
        await end(of: first) { queue.addOperation($0) }
        await end(of: BlockOperation()) { operation in
            operation.addDependency(second)
            queue.addOperation(operation)
        }
        #expect(diary.text == ["zone Notes true", "zones true", "records true"])
        #expect(try await app.database.record(for: .init(recordName: "a", zoneID: zone.zoneID)).recordType == "Note")
    }

    @Test("queries tell of each record, then where they go on", arguments: Door.allCases)
    func queries(_ door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        let records = (0..<3).map { number in
            let record = note("n\(number)", in: zoneID)
            record["n"] = number
            return record
        }
        _ = try await app.database.modifyRecords(saving: records, deleting: [])
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "n >= 0"))
        query.sortDescriptors = [NSSortDescriptor(key: "n", ascending: true)]
        let diary = Diary()
        let cursor = Lock<CKQueryOperation.Cursor?>(nil)
        let first = CKQueryOperation(query: query)
        first.zoneID = zoneID
        first.resultsLimit = 2
        first.recordMatchedBlock = { id, result in diary.note("\(id.recordName) \(result.isSuccess)") }
        first.queryResultBlock = { result in
            let next = try? result.get()
            cursor.withLock { $0 = next }
            diary.note("more \(next != nil)")
        }
        await end(of: first) { _ in app.database.add(first) }
        let second = CKQueryOperation(cursor: try #require(cursor.withLock { $0 }))
        second.recordFetchedBlock = { diary.note($0.recordID.recordName) }
        second.queryCompletionBlock = { diary.note("more \($0 != nil) \($1 == nil)") }
        await end(of: second) { _ in app.database.add(second) }
        #expect(diary.text == ["n0 true", "n1 true", "more true", "n2", "more false true"])
    }

    @Test("the changes of zones, page by page", arguments: Door.allCases)
    func changes(_ door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        let absent = CKRecordZone.ID(zoneName: "Absent")
        _ = try await app.database.modifyRecords(saving: (0..<3).map { note("n\($0)", in: zoneID) }, deleting: [])
        let diary = Diary()
        let operation = CKFetchRecordZoneChangesOperation(
            recordZoneIDs: [zoneID, absent], configurationsByRecordZoneID: [zoneID: .init(resultsLimit: 2)])
        operation.recordWasChangedBlock = { diary.note("\($0.recordName) \($1.isSuccess)") }
        operation.recordZoneChangeTokensUpdatedBlock = { zone, token, _ in
            diary.note("token \(zone.zoneName) \(token != nil)")
        }
        operation.recordZoneFetchResultBlock = { zone, result in
            diary.note("zone \(zone.zoneName) \(result.code?.rawValue ?? 0) \((try? result.get().moreComing) ?? false)")
        }
        operation.fetchRecordZoneChangesResultBlock = { diary.note("result \($0.isSuccess)") }
        await end(of: operation) { _ in app.database.add(operation) }
        #expect(diary.text.filter { $0.hasPrefix("n") }.sorted() == ["n0 true", "n1 true", "n2 true"])
        #expect(diary.text.contains("token Notes true") && diary.text.contains("zone Absent 26 false"))
        #expect(diary.text.suffix(2) == ["zone Notes 0 false", "result true"])
        let one = CKFetchRecordZoneChangesOperation(
            recordZoneIDs: [zoneID], configurationsByRecordZoneID: [zoneID: .init(resultsLimit: 2)])
        one.fetchAllChanges = false
        let pages = Diary()
        one.recordZoneFetchCompletionBlock = { _, token, _, more, error in
            pages.note("\(token != nil) \(more) \(error == nil)")
        }
        one.recordZoneChangeTokensUpdatedBlock = { _, _, _ in pages.note("token") }
        one.fetchRecordZoneChangesCompletionBlock = { pages.note("\($0 == nil)") }
        await end(of: one) { _ in app.database.add(one) }
        #expect(pages.text == ["true true true", "true"])
    }

    @Test("fetching records, zones, subscriptions and database changes", arguments: Door.allCases)
    func fetching(_ door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        let record = try await app.database.save(note("a", in: zoneID))
        let diary = Diary()
        let records = CKFetchRecordsOperation(recordIDs: [record.recordID, .init(recordName: "x", zoneID: zoneID)])
        records.fetchRecordsCompletionBlock = { found, error in
            diary.note("\(found?.count ?? -1) \((error as? CKError)?.code.rawValue ?? 0)")
        }
        await end(of: records) { _ in app.database.add(records) }
        let zones = CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
        zones.fetchRecordZonesCompletionBlock = { found, error in diary.note("\(found?.count ?? -1) \(error == nil)") }
        await end(of: zones) { _ in app.database.add(zones) }
        let saving = CKModifySubscriptionsOperation(
            subscriptionsToSave: [CKDatabaseSubscription(subscriptionID: "d")])
        saving.perSubscriptionSaveBlock = { diary.note("\($0) \($1.isSuccess)") }
        await end(of: saving) { _ in app.database.add(saving) }
        let subscriptions = CKFetchSubscriptionsOperation(subscriptionIDs: ["d", "x"])
        subscriptions.perSubscriptionResultBlock = { diary.note("\($0) \($1.code?.rawValue ?? 0)") }
        await end(of: subscriptions) { _ in app.database.add(subscriptions) }
        let changes = CKFetchDatabaseChangesOperation(previousServerChangeToken: nil)
        changes.recordZoneWithIDChangedBlock = { diary.note("changed \($0.zoneName)") }
        changes.fetchDatabaseChangesResultBlock = { diary.note("more \((try? $0.get().moreComing) ?? true)") }
        await end(of: changes) { _ in app.database.add(changes) }
        let me = CKFetchRecordsOperation.fetchCurrentUserRecordOperation()
        me.perRecordResultBlock = { diary.note("me \($1.isSuccess ? "found" : "\($1.code?.rawValue ?? 0)")") }
        me.database = app.alice.publicCloudDatabase
        await end(of: me) { _ in app.database.add(me) }
        let expected = ["1 2", "2 true", "d true", "d 0", "x 11", "changed Notes", "more false"]
        #expect(diary.text.prefix(expected.count) == expected[...])
        // People made in the process have no account, and so no record.
        #expect(diary.text.last == (door == .http ? "me found" : "me 11"))
    }

    /// A program's own operation over one of CloudKit's, which sets its blocks when it begins.
    private final class OwnFetch: CKFetchRecordsOperation, @unchecked Sendable {
        let diary = Diary()

        override func main() {
            diary.note("main")
            perRecordResultBlock = { [diary] in diary.note("\($0.recordName) \($1.code?.rawValue ?? 0)") }
            super.main()
            super.main()
        }
    }

    @Test func subclassesMaySetTheirBlocksInMain() async throws {
        let app = try await Door.inProcess.open()
        let operation = OwnFetch(recordIDs: [.init(recordName: "none")])
        await end(of: operation) { _ in app.database.add(operation) }
        #expect(operation.diary.text == ["main", "none 11"])
        let cancelled = OwnFetch(recordIDs: [.init(recordName: "none")])
        cancelled.fetchRecordsResultBlock = { [diary = cancelled.diary] in diary.note("\($0.code?.rawValue ?? 0)") }
        cancelled.cancel()
        await end(of: cancelled) { _ in app.database.add(cancelled) }
        #expect(cancelled.diary.text == ["20"])
    }

    @Test func cancelledOperationsSaySo() async {
        let container = CKContainer(identifier: "iCloud.x", transport: NoTransport())
        let operation = CKModifyRecordsOperation(recordsToSave: [note("a")])
        let diary = Diary()
        operation.modifyRecordsResultBlock = { diary.note("\($0.code?.rawValue ?? 0)") }
        operation.cancel()
        await end(of: operation) { _ in container.privateCloudDatabase.add(operation) }
        #expect(diary.text == ["20"])
    }

    @Test func cancellationReachesTheRequest() async {
        let transport = StuckTransport()
        let container = CKContainer(identifier: "iCloud.x", transport: transport)
        let operation = CKFetchRecordZonesOperation(recordZoneIDs: [.init(zoneName: "Z")])
        let diary = Diary()
        operation.fetchRecordZonesResultBlock = { diary.note("\($0.code?.rawValue ?? 0)") }
        await end(of: operation) { _ in
            container.privateCloudDatabase.add(operation)
            Task {
                for await _ in transport.asked { operation.cancel() }
            }
        }
        #expect(diary.text == ["20"])
    }

    /// Lets one modification through; a further one stays without an answer until it is cancelled.
    private struct OnceTransport: CloudTransport {
        let transport: any CloudTransport
        let stuck = StuckTransport()
        let isSignedIn = true
        private let count = Lock(0)

        init(_ transport: any CloudTransport) { self.transport = transport }

        func send(_ request: CloudRequest) async throws(CloudTransportError) -> CloudAnswer {
            guard case .modifyRecords = request.call else { return try await transport.send(request) }
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            return isFirst ? try await transport.send(request) : try await stuck.send(request)
        }

        func upload(
            _ file: LocalFile, to address: String, progress: @escaping @Sendable (Int64) -> Void
        ) async throws(CloudTransportError) -> Asset { throw .cancelled }

        func download(
            from address: String, size: Int64, to file: LocalFile, progress: @escaping @Sendable (Int64) -> Void
        ) async throws(CloudTransportError) { throw .cancelled }
    }

    @Test("What was done before a cancellation is told as done, the rest and the operation as cancelled")
    func cancelledHalfway() async throws {
        let app = try await Door.inProcess.open()
        let zones = [try await app.makeZone("First"), try await app.makeZone("Second")]
        let transport = OnceTransport(app.transport)
        let container = CKContainer(identifier: "iCloud.x", transport: transport, keyStore: MemoryKeyStore())
        let operation = CKModifyRecordsOperation(recordsToSave: zones.map { note($0.zoneName, in: $0) })
        let diary = Diary()
        operation.perRecordSaveBlock = { diary.note("\($0.recordName) \($1.code?.rawValue ?? 0)") }
        operation.modifyRecordsResultBlock = { diary.note("\($0.code?.rawValue ?? 0)") }
        await end(of: operation) { _ in
            container.privateCloudDatabase.add(operation)
            Task {
                for await _ in transport.stuck.asked { operation.cancel() }
            }
        }
        #expect(diary.text == ["First 0", "Second 20", "20"])
        let again = CKFetchRecordsOperation(recordIDs: zones.map { .init(recordName: $0.zoneName, zoneID: $0) })
        again.perRecordResultBlock = { diary.note("\($0.recordName) \($1.code?.rawValue ?? 0)") }
        await end(of: again) { _ in app.database.add(again) }
        #expect(Set(diary.text.suffix(2)) == ["First 0", "Second 11"])
    }

    @Test func configurationsCountInOrder() {
        let group = CKOperationGroup()
        group.defaultConfiguration.timeoutIntervalForRequest = 1
        #expect(group.defaultConfiguration.timeoutIntervalForRequest == 1)
        let configuration = CKOperation.Configuration()
        configuration.timeoutIntervalForRequest = 5
        configuration.qualityOfService = .utility
        group.defaultConfiguration = configuration
        let operation = CKFetchRecordsOperation(recordIDs: [])
        operation.group = group
        #expect(operation.effectiveValues.timeoutIntervalForRequest == 5)
        let own = CKOperation.Configuration()
        own.timeoutIntervalForRequest = 60
        operation.configuration = own
        own.timeoutIntervalForRequest = 70
        #expect(operation.effectiveValues.timeoutIntervalForRequest == 60, "explicit, and a copy")
        #expect(operation.effectiveValues.qualityOfService == .utility)
        operation.configuration.isLongLived = true
        #expect(operation.configuration.isLongLived)
        operation.configuration = nil
        #expect(operation.configuration.qualityOfService == .default)
    }

    @Test("An operation's quality of service is its configuration's, explicit where it was set")
    func qualityOfService() {
        let operation = CKFetchRecordsOperation(recordIDs: [])
        #expect(operation.qualityOfService == .default)
        let group = CKOperationGroup()
        group.defaultConfiguration.qualityOfService = .background
        operation.group = group
        #expect(operation.callOptions.qualityOfService == .background)
        operation.qualityOfService = .default
        #expect(operation.callOptions.qualityOfService == .default, "explicit, though it is the standard")
        operation.qualityOfService = .utility
        #expect(operation.configuration.qualityOfService == .utility)
        operation.configuration.qualityOfService = .userInitiated
        #expect(operation.qualityOfService == .userInitiated)
        operation.configuration = nil
        #expect(operation.qualityOfService == .default)
        #expect(operation.callOptions.qualityOfService == .background)
    }

    @Test("configuredWith gives the configuration to all calls", arguments: Door.allCases)
    func configuredWith(_ door: Door) async throws {
        let app = try await door.open()
        let configuration = CKOperation.Configuration()
        configuration.timeoutIntervalForRequest = 30
        let zones = try await app.database.configuredWith(configuration: configuration) { database in
            try await database.allRecordZones()
        }
        #expect(zones.count == 1)
        #expect(app.alice.database(with: .private) === app.database)
    }

    @Test("completion handlers", arguments: Door.allCases)
    func handlers(_ door: Door) async throws {
        let app = try await door.open()
        let record = note("a")
        let saved: CKRecord? = await withCheckedContinuation { continuation in
            app.database.save(record) { saved, error in continuation.resume(returning: error == nil ? saved : nil) }
        }
        #expect(saved === record)
        let failure: CKError.Code? = await withCheckedContinuation { continuation in
            app.database.fetch(withRecordID: .init(recordName: "x")) { _, error in
                continuation.resume(returning: (error as? CKError)?.code)
            }
        }
        #expect(failure == .unknownItem)
        let status: CKAccountStatus = await withCheckedContinuation { continuation in
            app.alice.accountStatus { status, _ in continuation.resume(returning: status) }
        }
        #expect(status == .available)
    }
}
