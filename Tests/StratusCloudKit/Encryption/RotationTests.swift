import CloudKit
import StratusCloudModel
import StratusWorkers
import Testing

@testable import StratusCloudKit

/// Keys that are replaced, and given up.
@Suite struct RotationTests {
    private func save(_ secret: String, _ name: String, in zoneID: CKRecordZone.ID, _ device: CKContainer) async throws
    {
        let record = note(name, in: zoneID)
        record.encryptedValues["secret"] = secret
        record.encryptedValues["list"] = [1, 2]
        try await device.privateCloudDatabase.save(record)
    }

    private func secret(_ name: String, in zoneID: CKRecordZone.ID, _ device: CKContainer) async throws -> String? {
        let recordID = CKRecord.ID(recordName: name, zoneID: zoneID)
        return try await device.privateCloudDatabase.record(for: recordID).encryptedValues["secret"]
    }

    private func keyID(_ name: String, in zoneID: CKRecordZone.ID, _ app: App) async throws -> KeyID? {
        let recordID = CKRecord.ID(recordName: name, zoneID: zoneID)
        return try await RawCloud(app.transport).field("secret", of: recordID).map { try SealedValue($0).keyID }
    }

    @Test(
        "a new key encrypts what is new; what is old stays readable, and can be encrypted anew",
        arguments: Door.allCases)
    func rotation(_ door: Door) async throws {
        let app = try await door.open()
        let (zoneID, other) = (try await app.makeZone(), try await app.makeZone("Other"))
        let store = MemoryKeyStore()
        let (device, second) = (app.device(store), app.device(store))
        try await save("old", "a", in: zoneID, device)
        try await save("old", "b", in: zoneID, device)
        try await save("other", "a", in: other, device)
        try await app.database.save(note("plain", in: zoneID))
        let first = try #require(try await keyID("a", in: zoneID, app))
        #expect(try await keyID("a", in: other, app) != first, "each zone has a key of its own")
        #expect(try await secret("a", in: zoneID, second) == "old")
        try await device.encryption.rotateKey(of: zoneID)
        try await save("new", "c", in: zoneID, device)
        let current = try #require(try await keyID("c", in: zoneID, app))
        #expect(current != first)
        #expect(try await keyID("a", in: zoneID, app) == first)
        for (name, value) in [("a", "old"), ("c", "new")] {
            #expect(try await secret(name, in: zoneID, device) == value)
            // Another program, which knew the old key only.
            #expect(try await secret(name, in: zoneID, second) == value)
        }
        let before = try await device.privateCloudDatabase.record(for: CKRecord.ID(recordName: "a", zoneID: zoneID))
        #expect(try await device.encryption.reencrypt(zoneID) == 2)
        for name in ["a", "b", "c"] { #expect(try await keyID(name, in: zoneID, app) == current) }
        #expect(try await device.encryption.reencrypt(zoneID) == 0)
        let after = try await second.privateCloudDatabase.record(for: before.recordID)
        #expect(
            after.encryptedValues["secret"] as? String == "old" && after.encryptedValues["list"] as? [Int] == [1, 2])
        #expect(after["title"] as? String == "Hi" && after.recordChangeTag != before.recordChangeTag)
        await #expect(code { _ = try await device.encryption.reencrypt(.default) } == .invalidArguments)
        let foreign = CKRecordZone.ID(zoneName: "Z", ownerName: "_somebody")
        await #expect(code { try await device.encryption.rotateKey(of: foreign) } == .invalidArguments)
    }

    @Test("a program that knows the earlier key only hears of the new one before long", arguments: Door.allCases)
    func freshness(_ door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        let store = MemoryKeyStore()
        let name = try #require(app.alice.containerIdentifier)
        func program(_ freshness: Duration) -> CKContainer {
            let keyring = Keyring(store: store, freshness: freshness)
            let connection = CloudConnection(containerIdentifier: name, transport: app.transport, keyring: keyring)
            return CKContainer(.fixed(connection), ScopedOptions())
        }
        let (asking, knowing) = (program(.zero), program(.seconds(3_600)))
        for (index, container) in [asking, knowing].enumerated() {
            try await save("x", "old\(index)", in: zoneID, container)
        }
        try await app.device(store).encryption.rotateKey(of: zoneID)
        for (index, container) in [asking, knowing].enumerated() {
            try await save("x", "new\(index)", in: zoneID, container)
        }
        let first = try await keyID("old0", in: zoneID, app)
        #expect(try await keyID("new0", in: zoneID, app) != first)
        #expect(try await keyID("new1", in: zoneID, app) == first, "no question for each save")
        #expect(try await secret("new1", in: zoneID, asking) == "x")
        #expect(try await secret("new0", in: zoneID, knowing) == "x")
    }

    @Test("after the loss of a device its keys read nothing new", arguments: Door.allCases)
    func lostDevice(_ door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        try await save("old", "a", in: zoneID, app.alice)
        let phrase = try await app.alice.encryption.makeRecoveryPhrase()
        let lost = app.device()
        try await lost.encryption.recover(with: phrase)
        #expect(try await secret("a", in: zoneID, lost) == "old")
        try await app.alice.encryption.replaceKeys()
        try await save("new", "b", in: zoneID, app.alice)
        #expect(try await lost.encryption.status() == .locked)
        await #expect(code { _ = try await secret("b", in: zoneID, lost) } == .accountTemporarilyUnavailable)
        await #expect(throws: ContainerEncryption.Failure.noRecoveryPhrase) {
            try await app.device().encryption.recover(with: phrase)
        }
        // A device that gets the new key has the old ones with it.
        let next = app.device()
        try await next.encryption.recover(with: try await app.alice.encryption.makeRecoveryPhrase())
        #expect(try await secret("a", in: zoneID, next) == "old")
        #expect(try await secret("b", in: zoneID, next) == "new")
        try await next.encryption.replaceKeys()
        #expect(try await secret("a", in: zoneID, next) == "old")
    }

    @Test("a server that gives back the keys of before a loss is not believed", arguments: Door.allCases)
    func rollback(_ door: Door) async throws {
        let app = try await door.open()
        let (zoneID, late) = (try await app.makeZone(), try await app.makeZone("Late"))
        let store = MemoryKeyStore()
        try await save("old", "a", in: zoneID, app.device(store))
        try await save("old", "a", in: late, app.device(store))
        let cloud = RawCloud(app.transport)
        let records = [
            KeyRecords.Name.account, KeyRecords.Name.zone(zoneID.zoneName), KeyRecords.Name.zone(late.zoneName),
        ].map { CKRecord.ID(recordName: $0) }
        var before: [[UInt8]] = []
        for record in records { before.append(try #require(try await cloud.field("envelope", of: record))) }
        try await app.device(store).encryption.replaceKeys()
        let after = try #require(try await cloud.field("envelope", of: records[0]))
        #expect(store.names.count == 1, "the earlier key is behind the new one only")

        // The zones' earlier keys open what they encrypted, and encrypt nothing any more.
        for (index, zone) in [(1, zoneID), (2, late)] {
            try await cloud.putPlain(before[index], "envelope", records[index])
            let device = app.device(store)
            #expect(try await secret("a", in: zone, device) == "old")
            try await save("new", "b", in: zone, device)
            let (new, old) = (try await keyID("b", in: zone, app), try await keyID("a", in: zone, app))
            #expect(new != old)
            #expect(try await secret("a", in: zone, app.device(store)) == "old")
            #expect(try await secret("b", in: zone, app.device(store)) == "new")
        }
        try await cloud.putPlain(before[0], "envelope", records[0])
        await #expect(
            code { try await save("new", "c", in: zoneID, app.device(store)) } == .accountTemporarilyUnavailable)
        try await cloud.putPlain(after, "envelope", records[0])
        #expect(try await secret("b", in: zoneID, app.device(store)) == "new")
    }

    @Test("behaviour 80: a reset takes the zones with encrypted values, and says so", arguments: Door.allCases)
    func reset(_ door: Door) async throws {
        let app = try await door.open()
        let (zoneID, plainZone) = (try await app.makeZone(), try await app.makeZone("Plain"))
        try await save("old", "a", in: zoneID, app.alice)
        try await save("old", "d", in: .default, app.alice)
        try await app.database.save(note("a", in: plainZone))
        let token = try await app.database.databaseChanges(since: nil).changeToken
        let device = app.device()
        let database = device.privateCloudDatabase
        #expect(try await device.encryption.resetEncryptedData() == [zoneID])

        // The device that had the old keys hears of it in each way.
        let recordID = CKRecord.ID(recordName: "a", zoneID: zoneID)
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await app.database.record(for: recordID) },
            { _ = try await app.database.recordZone(for: zoneID) },
            { _ = try await app.database.recordZoneChanges(inZoneWith: zoneID, since: nil) },
            { _ = try await app.database.save(note("n", in: zoneID)) },
            {
                let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
                _ = try await app.database.records(matching: query, inZoneWith: zoneID)
            },
        ]
        for (number, call) in calls.enumerated() {
            do {
                try await call()
                Issue.record("call \(number) found the zone")
            } catch let error as CKError {
                #expect(error.code == .zoneNotFound, "call \(number)")
                #expect(error.userInfo[CKErrorUserDidResetEncryptedDataKey] as? Bool == true, "call \(number)")
            }
        }
        let changes = try await app.database.databaseChanges(since: token)
        #expect(changes.deletions.map(\.zoneID) == [zoneID])
        #expect(changes.deletions.map(\.reason) == [.encryptedDataReset])
        #expect(try await app.database.record(for: CKRecord.ID(recordName: "a", zoneID: plainZone))["title"] != nil)

        // It makes the zone again, and sends its data, when it has the new keys.
        try await app.database.save(CKRecordZone(zoneID: zoneID))
        for stale in [app.alice, app.device()] {
            await #expect(code { try await save("again", "a", in: zoneID, stale) } == .accountTemporarilyUnavailable)
        }
        try await save("again", "a", in: zoneID, device)
        #expect(try await secret("a", in: zoneID, device) == "again")
        // The default zone's values are still there, and lost.
        do {
            _ = try await secret("d", in: .default, device)
            Issue.record("a value outlived its key")
        } catch let error as CKError {
            #expect(error.code == .zoneNotFound)
            #expect(error.userInfo[CKErrorUserDidResetEncryptedDataKey] as? Bool == true)
        }
        // An ordinary deletion is one.
        try await database.deleteRecordZone(withID: zoneID)
        let later = try await app.database.databaseChanges(since: changes.changeToken)
        #expect(later.deletions.map(\.reason) == [.deleted])
    }

    @Test(
        "behaviour 79: a zone that the user removed is another thing than one that is deleted", arguments: Door.allCases
    )
    func purge(_ door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        let token = try await app.database.databaseChanges(since: nil).changeToken
        let operation = ZoneOperation(.delete, ZoneID(zoneName: zoneID.zoneName), reason: .purged)
        _ = try await app.transport.send(CloudRequest(.modifyZones([operation]), in: .private))
        await #expect(code { _ = try await app.database.recordZone(for: zoneID) } == .userDeletedZone)
        await #expect(code { try await app.database.save(note("a", in: zoneID)) } == .userDeletedZone)
        await #expect(
            code { _ = try await app.database.recordZoneChanges(inZoneWith: zoneID, since: nil) } == .userDeletedZone)
        let changes = try await app.database.databaseChanges(since: token)
        #expect(changes.deletions.map(\.reason) == [.purged])
    }

    @Test("the operation's block for a reset is called; without it the one for deletions", arguments: Door.allCases)
    func resetBlock(_ door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        try await save("old", "a", in: zoneID, app.alice)
        let token = try await app.database.databaseChanges(since: nil).changeToken
        try await app.alice.encryption.resetEncryptedData()
        let told = Lock<[String]>([])
        let operation = CKFetchDatabaseChangesOperation(previousServerChangeToken: token)
        operation.recordZoneWithIDWasDeletedBlock = { _ in told.withLock { $0.append("deleted") } }
        operation.recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock = { zone in
            told.withLock { $0.append("reset " + zone.zoneName) }
        }
        await end(of: operation) { if let operation = $0 as? CKDatabaseOperation { app.database.add(operation) } }
        #expect(told.withLock { $0 } == ["reset Notes"])
        let older = CKFetchDatabaseChangesOperation(previousServerChangeToken: token)
        older.recordZoneWithIDWasDeletedBlock = { zone in told.withLock { $0.append("deleted " + zone.zoneName) } }
        await end(of: older) { if let operation = $0 as? CKDatabaseOperation { app.database.add(operation) } }
        #expect(told.withLock { $0 } == ["reset Notes", "deleted Notes"])
    }

    @Test("keys that the server changed are not used", arguments: Door.allCases)
    func changedKeys(_ door: Door) async throws {
        let app = try await door.open()
        let (zoneID, other) = (try await app.makeZone(), try await app.makeZone("Other"))
        let store = MemoryKeyStore()
        try await save("x", "a", in: zoneID, app.device(store))
        try await save("x", "a", in: other, app.device(store))
        let cloud = RawCloud(app.transport)
        func record(_ zoneID: CKRecordZone.ID) -> CKRecord.ID {
            CKRecord.ID(recordName: KeyRecords.Name.zone(zoneID.zoneName))
        }
        // Another zone's keys, bytes that are none, and a key that the server made.
        let others = try #require(try await cloud.field("envelope", of: record(other)))
        let made = ZoneEnvelope(keys: [
            WrappedZoneKey(
                accountKeyID: try #require(try ZoneEnvelope(others).keys.first?.accountKeyID),
                zoneKeyID: ZoneKey([UInt8](repeating: 1, count: 32)).id, sealed: [UInt8](repeating: 2, count: 60))
        ])
        for bytes in [others, [1, 2, 3], made.bytes] {
            try await cloud.putPlain(bytes, "envelope", record(zoneID))
            await #expect(code { _ = try await secret("a", in: zoneID, app.device(store)) } == .internalError)
            await #expect(code { try await save("y", "b", in: zoneID, app.device(store)) } == .internalError)
        }
    }
}
