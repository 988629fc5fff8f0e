import CloudKit
import CloudModel
import TestSupport
import Testing

@testable import StratusCloudKit

/// Operations whose process is killed, and those of one process.
@Suite struct LongLivedTests {
    private let tenant: Tenant
    private let state: TemporaryDirectory
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

    private var keys: FileKeyStore { FileKeyStore(directory: state.path + "/keys") }

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
            Tool.beside("TestClient"),
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

    // MARK: In one process

    private func inProcess(_ transport: any CloudTransport) -> CKContainer {
        CKContainer(identifier: "iCloud.x", transport: transport, keyStore: keys, stateDirectory: state.path)
    }

    @Test func itIsThereBeforeAnythingIsSent() async throws {
        let transport = StuckTransport()
        let container = inProcess(transport)
        let diary = Diary()
        let operation = CKModifyRecordsOperation(recordsToSave: [note("a")])
        operation.configuration.isLongLived = true
        operation.longLivedOperationWasPersistedBlock = { diary.note("persisted") }
        operation.modifyRecordsResultBlock = { diary.note("\($0.code?.rawValue ?? 0)") }
        let ended = Task { await end(of: operation) { _ in container.privateCloudDatabase.add(operation) } }
        for await _ in transport.asked { break }
        #expect(diary.text == ["persisted"])
        let ids = try await container.allLongLivedOperationIDs()
        #expect(ids == [operation.operationID])
        // Who runs it here is who is found, and adding it again does nothing.
        let found = try await container.longLivedOperation(for: ids[0])
        #expect(found === operation)
        container.add(operation)
        // Another process, with a store of its own, sees that it is in hand.
        let other = inProcess(StuckTransport())
        #expect(try await other.allLongLivedOperationIDs().isEmpty)
        #expect(try await other.longLivedOperation(for: ids[0]) == nil)
        operation.cancel()
        await ended.value
        #expect(diary.text == ["persisted", "20"])
        #expect(try await container.allLongLivedOperationIDs().isEmpty, "cancelled is forgotten")
    }

    @Test func othersAreNotKept() async throws {
        let container = inProcess(NoTransport(failure: .unreachable("x")))
        let diary = Diary()
        let operation = CKModifyRecordsOperation(recordsToSave: [note("a")])
        operation.longLivedOperationWasPersistedBlock = { diary.note("persisted") }
        await end(of: operation) { _ in container.privateCloudDatabase.add(operation) }
        #expect(diary.text.isEmpty)
        #expect(try await container.allLongLivedOperationIDs().isEmpty)
    }

    @Test(arguments: ["not-a-name", "", "../x", "00000000-0000-0000-0000-000000000000"])
    func unknownNamesAreNothing(_ id: String) async throws {
        #expect(try await inProcess(StuckTransport()).longLivedOperation(for: id) == nil)
    }

    /// Runs an operation up to its last block, or only until the cloud is done, as a process that is then killed.
    private func runAndDie(
        _ operation: CKDatabaseOperation, _ database: CKDatabase, isFinishing: Bool = true
    ) async throws {
        operation.database = database
        operation.configuration.isLongLived = true
        #expect(try await operation.beginLongLived() == nil)
        try #require(operation.kept != nil)
        var result: Result<Void, any Error> = .success(())
        do { try await operation.run() } catch { result = .failure(error) }
        if isFinishing { await operation.keepEnd(result) }
        operation.kept = nil
    }

    @Test(
        "A zone that was made since is not deleted, and one that was deleted since is not made",
        arguments: Door.allCases)
    func zonesAreModifiedOnce(_ door: Door) async throws {
        let app = try await door.open()
        let name = app.alice.source.connection.containerIdentifier
        let container = CKContainer(
            identifier: name, transport: app.alice.source.connection.transport, keyStore: keys,
            stateDirectory: state.path)
        let database = container.privateCloudDatabase
        let (old, new) = (CKRecordZone(zoneName: "Old"), CKRecordZone(zoneName: "New"))
        try await database.save(old)
        let operation = CKModifyRecordZonesOperation(recordZonesToSave: [new], recordZoneIDsToDelete: [old.zoneID])
        try await runAndDie(operation, database, isFinishing: false)
        try await database.save(old)
        try await database.save(note("precious", in: old.zoneID))
        _ = try await database.deleteRecordZone(withID: new.zoneID)

        let found = try await container.longLivedOperation(for: operation.operationID)
        let resumed = try #require(found as? CKModifyRecordZonesOperation)
        let diary = Diary()
        resumed.perRecordZoneDeleteBlock = { diary.note("\($0.zoneName) \($1.isSuccess)") }
        resumed.perRecordZoneSaveBlock = { diary.note("\($0.zoneName) \($1.code?.rawValue ?? 0)") }
        await end(of: resumed) { _ in database.add(resumed) }
        #expect(diary.text == ["New 26", "Old true"])
        _ = try await database.record(for: CKRecord.ID(recordName: "precious", zoneID: old.zoneID))
        #expect(try await database.recordZones(for: [new.zoneID])[new.zoneID]?.isSuccess == false)
    }

    @Test("A subscription that was saved since is not deleted", arguments: Door.allCases)
    func subscriptionsAreDeletedOnce(_ door: Door) async throws {
        let app = try await door.open()
        let container = CKContainer(
            identifier: app.alice.source.connection.containerIdentifier,
            transport: app.alice.source.connection.transport, keyStore: keys, stateDirectory: state.path)
        let database = container.privateCloudDatabase
        try await database.save(CKDatabaseSubscription(subscriptionID: "s"))
        let operation = CKModifySubscriptionsOperation(subscriptionIDsToDelete: ["s", "none"])
        try await runAndDie(operation, database, isFinishing: false)
        try await database.save(CKDatabaseSubscription(subscriptionID: "s"))

        let found = try await container.longLivedOperation(for: operation.operationID)
        let resumed = try #require(found as? CKModifySubscriptionsOperation)
        let diary = Diary()
        resumed.perSubscriptionDeleteBlock = { diary.note("\($0) \($1.code?.rawValue ?? 0)") }
        await end(of: resumed) { _ in database.add(resumed) }
        #expect(diary.text == ["s 0", "none 11"])
        #expect(try await database.allSubscriptions().map(\.subscriptionID) == ["s"])
    }

    @Test("What is kept cannot be read on the disk, or with another key, and damage ends nothing")
    func sealed() async throws {
        let app = try await Door.inProcess.open()
        let transport = app.alice.source.connection.transport
        let container = inProcess(transport)
        let record = note("a", "plain title")
        record.encryptedValues["secret"] = "secret words"
        try await container.privateCloudDatabase.save(record)
        record["title"] = "another title"
        try await runAndDie(CKModifyRecordsOperation(recordsToSave: [record]), container.privateCloudDatabase)
        let fetch = CKFetchRecordsOperation(recordIDs: [record.recordID])
        try await runAndDie(fetch, container.privateCloudDatabase)

        let directory = state.path + "/operations"
        for file in try FileManager.default.subpathsOfDirectory(atPath: directory) {
            guard let bytes = try? Data(contentsOf: URL(fileURLWithPath: directory + "/" + file)) else { continue }
            for word in ["secret words", "another title", "plain title", "Note"] {
                for encoding in [String.Encoding.utf8, .utf16BigEndian, .utf16LittleEndian] {
                    #expect(bytes.range(of: try #require(word.data(using: encoding))) == nil, "\(word) in \(file)")
                }
            }
        }
        let others = CKContainer(
            identifier: "iCloud.x", transport: transport, keyStore: MemoryKeyStore(), stateDirectory: state.path)
        #expect(try await others.longLivedOperation(for: fetch.operationID) == nil)
        #expect(try await inProcess(transport).longLivedOperation(for: fetch.operationID) is CKFetchRecordsOperation)
        for damage in [Data(), Data([1, 2, 3]), Data(repeating: 7, count: 200)] {
            try damage.write(to: URL(fileURLWithPath: "\(directory)/\(fetch.operationID)/operation"))
            #expect(try await inProcess(transport).longLivedOperation(for: fetch.operationID) == nil)
        }
    }

    @Test("The files of fetched assets are there when the results are told again", arguments: [false, true])
    func fetchedFilesAreKept(_ isQuery: Bool) async throws {
        let app = try await Door.http.open()
        let name = app.alice.source.connection.containerIdentifier
        func container() -> CKContainer {
            CKContainer(
                identifier: name, transport: app.alice.source.connection.transport, keyStore: keys,
                stateDirectory: state.path)
        }
        let database = container().privateCloudDatabase
        let file = URL(fileURLWithPath: state.path + "/picture")
        try Data("bytes".utf8).write(to: file)
        let record = note("pictured")
        record["picture"] = CKAsset(fileURL: file)
        record["pictures"] = [CKAsset(fileURL: file), CKAsset(fileURL: file)]
        try await database.save(record)
        var fetched: [CKAsset] = []
        func listen(_ operation: CKDatabaseOperation) {
            let take = { (_: CKRecord.ID, result: Result<CKRecord, any Error>) in
                let record = try? result.get()
                fetched = [record?["picture"] as? CKAsset].compactMap { $0 } + (record?["pictures"] as? [CKAsset] ?? [])
                #expect(record?.changedKeys() == [])
            }
            (operation as? CKFetchRecordsOperation)?.perRecordResultBlock = take
            (operation as? CKQueryOperation)?.recordMatchedBlock = take
        }
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "title == 'Hi'"))
        let operation: CKDatabaseOperation =
            isQuery ? CKQueryOperation(query: query) : CKFetchRecordsOperation(recordIDs: [record.recordID])
        listen(operation)
        try await runAndDie(operation, database)
        #expect(fetched.count == 3)
        // Equal bytes are fetched once.
        for url in Set(fetched.compactMap(\.fileURL)) { try FileManager.default.removeItem(at: url) }
        fetched = []

        let again = container()
        let id = operation.operationID
        let found = try #require(try await again.longLivedOperation(for: id) as? CKDatabaseOperation)
        listen(found)
        await end(of: found) { _ in again.add(found) }
        #expect(fetched.count == 3)
        for asset in fetched {
            let url = try #require(asset.fileURL)
            #expect(try Data(contentsOf: url) == Data("bytes".utf8))
            #expect(!url.path.hasPrefix(state.path), "what was kept is gone")
            try FileManager.default.removeItem(at: url)
        }
        #expect(!FileManager.default.fileExists(atPath: "\(state.path)/operations/\(id)"))
    }

    @Test("All kinds tell from what was kept what they told at once", arguments: Door.allCases)
    func replays(_ door: Door) async throws {
        let app = try await door.open()
        let directory = try TemporaryDirectory()
        let transport = app.alice.source.connection.transport
        let name = app.alice.source.connection.containerIdentifier
        func container() -> CKContainer {
            CKContainer(identifier: name, transport: transport, keyStore: keys, stateDirectory: directory.path)
        }
        let database = container().privateCloudDatabase
        let zoneID = try await database.save(CKRecordZone(zoneName: "Kept")).zoneID
        try await database.save(note("there", in: zoneID))
        let subscription = CKDatabaseSubscription(subscriptionID: "s")
        for (operation, listen) in Self.operations(zoneID, subscription) {
            let first = Diary()
            listen(operation, first)
            try await runAndDie(operation, database)
            let again = container()
            let ids = try await again.allLongLivedOperationIDs()
            try #require(ids == [operation.operationID], "\(type(of: operation))")
            let found = try #require(try await again.longLivedOperation(for: ids[0]) as? CKDatabaseOperation)
            #expect(type(of: found) == type(of: operation))
            let second = Diary()
            listen(found, second)
            await end(of: found) { _ in again.add(found) }
            #expect(second.text == first.text && !first.text.isEmpty, "\(type(of: operation))")
        }
    }

    /// Operations of all kinds, and how to hear what they tell of their items.
    private static func operations(
        _ zoneID: CKRecordZone.ID, _ subscription: CKSubscription
    ) -> [(CKDatabaseOperation, (CKDatabaseOperation, Diary) -> Void)] {
        func name(_ recordID: CKRecord.ID) -> String { "\(recordID.zoneID.zoneName)/\(recordID.recordName)" }
        func what(_ result: Result<CKRecord, any Error>) -> String {
            switch result {
            case .success(let record): "\(record.recordChangeTag ?? "") \(record["title"] as? String ?? "")"
            case .failure(let error as CKError):
                "\(error.code.rawValue) \(error.localizedDescription) \(error.serverRecord?.recordChangeTag ?? "")"
            case .failure(let error): "\(error)"
            }
        }
        let there = CKRecord.ID(recordName: "there", zoneID: zoneID)
        let modify = CKModifyRecordsOperation(
            recordsToSave: [note("new", in: zoneID), note("there", in: zoneID, "other")],
            recordIDsToDelete: [CKRecord.ID(recordName: "gone", zoneID: zoneID)])
        modify.isAtomic = false
        let query = CKQueryOperation(query: CKQuery(recordType: "Note", predicate: NSPredicate(value: true)))
        query.zoneID = zoneID
        query.desiredKeys = ["title"]
        let changes = CKFetchRecordZoneChangesOperation(
            recordZoneIDs: [zoneID, CKRecordZone.ID(zoneName: "Missing")],
            configurationsByRecordZoneID: [zoneID: .init(desiredKeys: ["title"])])
        return [
            (
                modify,
                { operation, diary in
                    (operation as? CKModifyRecordsOperation)?.perRecordSaveBlock = {
                        diary.note("save \(name($0)) \(what($1))")
                    }
                    (operation as? CKModifyRecordsOperation)?.perRecordDeleteBlock = {
                        diary.note("delete \(name($0)) \($1.isSuccess)")
                    }
                }
            ),
            (
                CKFetchRecordsOperation(recordIDs: [there, CKRecord.ID(recordName: "gone", zoneID: zoneID)]),
                { operation, diary in
                    (operation as? CKFetchRecordsOperation)?.perRecordResultBlock = {
                        diary.note("\(name($0)) \(what($1))")
                    }
                }
            ),
            (
                query,
                { operation, diary in
                    (operation as? CKQueryOperation)?.recordMatchedBlock = { diary.note("\(name($0)) \(what($1))") }
                }
            ),
            (
                changes,
                { operation, diary in
                    let operation = operation as? CKFetchRecordZoneChangesOperation
                    operation?.recordWasChangedBlock = { diary.note("\(name($0)) \(what($1))") }
                    operation?.recordZoneFetchResultBlock = { zoneID, result in
                        diary.note(
                            "\(zoneID.zoneName) \((try? result.get())?.serverChangeToken.hash ?? 0) \(result.code?.rawValue ?? 0)"
                        )
                    }
                }
            ),
            (
                CKFetchDatabaseChangesOperation(),
                { operation, diary in
                    (operation as? CKFetchDatabaseChangesOperation)?.recordZoneWithIDChangedBlock = {
                        diary.note($0.zoneName)
                    }
                }
            ),
            (
                CKModifyRecordZonesOperation(recordZonesToSave: [CKRecordZone(zoneName: "Another")]),
                { operation, diary in
                    (operation as? CKModifyRecordZonesOperation)?.perRecordZoneSaveBlock = {
                        diary.note("\($0.zoneName) \($1.isSuccess)")
                    }
                }
            ),
            (
                CKFetchRecordZonesOperation.fetchAllRecordZonesOperation(),
                { operation, diary in
                    (operation as? CKFetchRecordZonesOperation)?.perRecordZoneResultBlock = {
                        diary.note("\($0.zoneName) \($1.isSuccess)")
                    }
                }
            ),
            (
                CKModifySubscriptionsOperation(subscriptionsToSave: [subscription], subscriptionIDsToDelete: ["none"]),
                { operation, diary in
                    let operation = operation as? CKModifySubscriptionsOperation
                    operation?.perSubscriptionSaveBlock = { diary.note("\($0) \($1.isSuccess)") }
                    operation?.perSubscriptionDeleteBlock = { diary.note("\($0) \($1.code?.rawValue ?? 0)") }
                }
            ),
            (
                CKFetchSubscriptionsOperation(subscriptionIDs: ["s", "none"]),
                { operation, diary in
                    (operation as? CKFetchSubscriptionsOperation)?.perSubscriptionResultBlock = {
                        diary.note("\($0) \((try? $1.get()).map { "\(type(of: $0))" } ?? "")")
                    }
                }
            ),
        ]
    }

    @Test func resultsAreKeptForADayAndTasksForAWeek() async throws {
        let app = try await Door.inProcess.open()
        let transport = app.alice.source.connection.transport
        let container = inProcess(transport)
        let finished = CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
        try await runAndDie(finished, container.privateCloudDatabase)
        let waiting = CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
        waiting.database = container.privateCloudDatabase
        waiting.configuration.isLongLived = true
        #expect(try await waiting.beginLongLived() == nil)
        waiting.kept = nil
        func ids(after seconds: TimeInterval) -> [CKOperation.ID] {
            OperationStore(
                directory: state.path + "/operations", keys: keys, now: { Date(timeIntervalSinceNow: seconds) }
            ).operationIDs()
        }
        let minute = 60.0
        #expect(
            Set(ids(after: OperationStore.finishedLifetime - minute)) == [finished.operationID, waiting.operationID])
        #expect(ids(after: OperationStore.finishedLifetime + minute) == [waiting.operationID])
        #expect(ids(after: OperationStore.unfinishedLifetime - minute) == [waiting.operationID])
        #expect(ids(after: OperationStore.unfinishedLifetime + minute).isEmpty)
    }

    @Test func theFileOfAnAssetIsKeptAsItWas() async throws {
        let app = try await Door.http.open()
        let transport = app.alice.source.connection.transport
        let name = app.alice.source.connection.containerIdentifier
        let container = CKContainer(
            identifier: name, transport: transport, keyStore: keys, stateDirectory: state.path)
        let file = URL(fileURLWithPath: state.path + "/picture")
        try Data("before".utf8).write(to: file)
        let record = note("pictured")
        record["picture"] = CKAsset(fileURL: file)
        record["pictures"] = [CKAsset(fileURL: file), CKAsset(fileURL: file)]
        let operation = CKModifyRecordsOperation(recordsToSave: [record])
        operation.configuration.isLongLived = true
        operation.longLivedOperationWasPersistedBlock = { try? Data("after".utf8).write(to: file) }
        try await finish(operation, in: container.privateCloudDatabase)
        let saved = try await container.privateCloudDatabase.record(for: record.recordID)
        let asset = try #require(saved["picture"] as? CKAsset)
        #expect(try Data(contentsOf: #require(asset.fileURL)) == Data("before".utf8))
        #expect((saved["pictures"] as? [CKAsset])?.count == 2)
    }
}
