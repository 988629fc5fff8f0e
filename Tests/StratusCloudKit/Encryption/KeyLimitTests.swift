import CloudKit
import StratusCloudCrypto
import StratusCloudModel
import Testing

@testable import StratusCloudKit

/// How many keys a zone and an account can have had. The places are brought there by what lies on the server.
@Suite("Limits of keys") struct KeyLimitTests {
    private let random = RandomSource.seeded(6)

    /// What a device did, and could not do at last.
    private func failure(of body: () async throws -> Void) async -> CKError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? CKError
        }
    }

    private func save(_ secret: String, _ name: String, in zoneID: CKRecordZone.ID, _ device: CKContainer) async throws
    {
        let record = note(name, in: zoneID)
        record.encryptedValues["secret"] = secret
        try await device.privateCloudDatabase.save(record)
    }

    private func secret(_ name: String, in zoneID: CKRecordZone.ID, _ device: CKContainer) async throws -> String? {
        let recordID = CKRecord.ID(recordName: name, zoneID: zoneID)
        return try await device.privateCloudDatabase.record(for: recordID).encryptedValues["secret"]
    }

    private func envelope(_ name: String, _ app: App) async throws -> [UInt8] {
        try #require(try await RawCloud(app.transport).field("envelope", of: CKRecord.ID(recordName: name)))
    }

    /// Makes a zone have had so many keys.
    private func fill(_ zoneID: CKRecordZone.ID, to count: Int, _ app: App) async throws {
        let name = KeyRecords.Name.zone(zoneID.zoneName)
        let key = try #require(try ZoneEnvelope(try await envelope(name, app)).keys.first)
        try await RawCloud(app.transport).putPlain(
            ZoneEnvelope(keys: Array(repeating: key, count: count)).bytes, "envelope", CKRecord.ID(recordName: name))
    }

    @Test("a zone has had 1,000 keys, and no 1,001st", arguments: Door.allCases)
    func keysOfAZone(_ door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        let name = KeyRecords.Name.zone(zoneID.zoneName)
        let store = MemoryKeyStore()
        try await save("old", "a", in: zoneID, app.device(store))
        try await fill(zoneID, to: ZoneEnvelope.keyLimit - 1, app)
        try await app.device(store).encryption.rotateKey(of: zoneID)
        try await save("with the last key", "b", in: zoneID, app.device(store))
        let full = try await envelope(name, app)
        #expect(try ZoneEnvelope(full).keys.count == ZoneEnvelope.keyLimit)
        let error = await failure { try await app.device(store).encryption.rotateKey(of: zoneID) }
        #expect(error?.code == .limitExceeded)
        #expect(error?.localizedDescription == "The zone 'Notes' has had 1000 keys, which is the maximum.")
        #expect(try await envelope(name, app) == full)
        // What there is goes on.
        #expect(try await secret("a", in: zoneID, app.device(store)) == "old")
        #expect(try await secret("b", in: zoneID, app.device(store)) == "with the last key")
        try await save("still", "c", in: zoneID, app.device(store))
        #expect(try await secret("c", in: zoneID, app.device(store)) == "still")
        // Values for which the account's new key needs one more are not written; what is there is read.
        try await app.device(store).encryption.replaceKeys()
        let late = await failure { try await save("more", "d", in: zoneID, app.device(store)) }
        #expect(late?.code == .limitExceeded)
        #expect(late?.localizedDescription == error?.localizedDescription)
        #expect(try await envelope(name, app) == full)
        #expect(await code { _ = try await secret("d", in: zoneID, app.device(store)) } == .unknownItem)
        #expect(try await secret("b", in: zoneID, app.device(store)) == "with the last key")
    }

    @Test("an account has had 1,000 keys, and no 1,001st", arguments: Door.allCases)
    func keysOfAnAccount(_ door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        let store = MemoryKeyStore()
        try await save("old", "a", in: zoneID, app.device(store))
        let held = try #require(store.names.first)
        let parts = held.split(separator: "/").map(String.init)
        let place = AccountPlace(container: parts[0], user: parts[1])
        let current = AccountKey(try #require(store.secret(named: held)))
        // With the present one there have been 999.
        let earlier = (0..<AccountEnvelope.keyLimit - 2).map { _ in
            current.wrap(AccountKey(random.bytes(AccountKey.length)), place, random: random)
        }
        try await RawCloud(app.transport).putPlain(
            AccountEnvelope(keyID: current.id, previous: earlier).bytes, "envelope",
            CKRecord.ID(recordName: KeyRecords.Name.account))
        try await app.device(store).encryption.replaceKeys()
        let full = try await envelope(KeyRecords.Name.account, app)
        #expect(try AccountEnvelope(full).previous.count == AccountEnvelope.keyLimit - 1)
        try await save("with the last key", "b", in: zoneID, app.device(store))
        let names = store.names
        let error = await failure { try await app.device(store).encryption.replaceKeys() }
        #expect(error?.code == .limitExceeded)
        #expect(error?.localizedDescription == "The account has had 1000 keys, which is the maximum.")
        #expect(try await envelope(KeyRecords.Name.account, app) == full)
        #expect(store.names == names)
        for (name, value) in [("a", "old"), ("b", "with the last key")] {
            #expect(try await secret(name, in: zoneID, app.device(store)) == value)
        }
        try await save("still", "c", in: zoneID, app.device(store))
    }
}
