import CloudKit
import StratusCloudCrypto
import Testing

@testable import StratusCloudKit

/// Keys on several devices of a person.
@Suite struct DeviceTests {
    private func save(_ secret: String, _ name: String = "a", in zoneID: CKRecordZone.ID, _ device: CKContainer)
        async throws
    {
        let record = note(name, in: zoneID)
        record.encryptedValues["secret"] = secret
        try await device.privateCloudDatabase.save(record)
    }

    private func secret(_ name: String = "a", in zoneID: CKRecordZone.ID, _ device: CKContainer) async throws -> String?
    {
        let recordID = CKRecord.ID(recordName: name, zoneID: zoneID)
        return try await device.privateCloudDatabase.record(for: recordID).encryptedValues["secret"]
    }

    @Test("101: a device without the keys says what to do, and loses nothing", arguments: Door.allCases)
    func locked(_ door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        #expect(try await app.alice.encryption.status() == .noKeys)
        try await save("x", in: zoneID, app.alice)
        try await app.database.save(note("plain", in: zoneID))
        #expect(try await app.alice.encryption.status() == .ready)
        let device = app.device()
        let database = device.privateCloudDatabase
        #expect(try await device.encryption.status() == .locked)
        do {
            _ = try await secret(in: zoneID, device)
            Issue.record("a value was read without keys")
        } catch let error as CKError {
            #expect(error.code == .accountTemporarilyUnavailable)
            #expect(error.localizedDescription.contains("recover(with:)"))
        }
        await #expect(code { try await save("y", in: zoneID, device) } == .accountTemporarilyUnavailable)
        // Other records, and other fields, are there.
        #expect(try await database.record(for: CKRecord.ID(recordName: "plain", zoneID: zoneID))["title"] != nil)
        let recordID = CKRecord.ID(recordName: "a", zoneID: zoneID)
        let titles = try await database.records(for: [recordID], desiredKeys: ["title"])
        #expect(try titles[recordID]?.get()["title"] as? String == "Hi")
        // A feed must not pass what it could not read.
        await #expect(
            code { _ = try await database.recordZoneChanges(inZoneWith: zoneID, since: nil) }
                == .accountTemporarilyUnavailable)
        // Records that have nothing to encrypt are saved beside one that has.
        let encrypted = note("b")
        encrypted.encryptedValues["secret"] = "z"
        let mixed = try await database.modifyRecords(saving: [encrypted, note("c")], deleting: [], atomically: false)
        #expect(mixed.saveResults[encrypted.recordID]?.code == .accountTemporarilyUnavailable)
        #expect(mixed.saveResults[CKRecord.ID(recordName: "c")]?.isSuccess == true)
    }

    @Test("the recovery phrase brings the keys to a new device", arguments: Door.allCases)
    func recovery(_ door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        let device = app.device()
        let wrong = RecoveryPhrase(RandomSource.seeded(9).bytes(22))
        await #expect(throws: ContainerEncryption.Failure.noKeys) { try await device.encryption.recover(with: wrong) }
        try await save("x", in: zoneID, app.alice)
        await #expect(throws: ContainerEncryption.Failure.noRecoveryPhrase) {
            try await device.encryption.recover(with: wrong)
        }
        let first = try await app.alice.encryption.makeRecoveryPhrase()
        let phrase = try await app.alice.encryption.makeRecoveryPhrase()
        for other in [wrong, first] {
            await #expect(throws: ContainerEncryption.Failure.wrongPhrase) {
                try await device.encryption.recover(with: other)
            }
        }
        #expect(try await device.encryption.status() == .locked)
        try await device.encryption.recover(with: try #require(RecoveryPhrase(phrase.words)))
        #expect(try await secret(in: zoneID, device) == "x")
        try await save("y", "b", in: zoneID, device)
        #expect(try await secret("b", in: zoneID, app.alice) == "y")
    }

    @Test("one device approves another", arguments: Door.allCases)
    func approval(_ door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        try await save("x", in: zoneID, app.alice)
        let device = app.device()
        let pending = try await device.encryption.requestApproval(deviceName: "Ada's laptop")
        let other = try await app.device().encryption.requestApproval(deviceName: "Mallory")
        let requests = try await app.alice.encryption.approvalRequests()
        #expect(requests.map(\.deviceName) == ["Ada's laptop", "Mallory"])
        #expect(try await !pending.accept())
        for code in [other.code, "lusab-babad-lusab-babad-lusab-babad", "no words", ""] {
            await #expect(throws: ContainerEncryption.Failure.wrongCode) {
                try await app.alice.encryption.approve(requests[0], code: code)
            }
        }
        #expect(try await !pending.accept(), "a wrong code gives nothing away")
        try await app.alice.encryption.approve(requests[0], code: pending.code.uppercased())
        try await pending.wait()
        #expect(try await device.encryption.status() == .ready)
        #expect(try await secret(in: zoneID, device) == "x")
        #expect(try await app.alice.encryption.approvalRequests().map(\.deviceName) == ["Mallory"])
        try await other.withdraw()
        #expect(try await device.encryption.approvalRequests().isEmpty)
        await #expect(throws: ContainerEncryption.Failure.requestNotFound) { _ = try await other.accept() }
        await #expect(throws: ContainerEncryption.Failure.requestNotFound) {
            try await app.alice.encryption.approve(requests[1], code: other.code)
        }
    }

    @Test("a device without keys can approve nobody", arguments: Door.allCases)
    func strangers(_ door: Door) async throws {
        let app = try await door.open()
        try await save("x", in: .default, app.alice)
        let (device, stranger) = (app.device(), app.device())
        let pending = try await device.encryption.requestApproval(deviceName: "A")
        let request = try #require(try await stranger.encryption.approvalRequests().first)
        await #expect(
            code { try await stranger.encryption.approve(request, code: pending.code) }
                == .accountTemporarilyUnavailable)
        // Of many requests the latest are kept.
        for number in 0..<ApprovalEnvelope.limit {
            _ = try await stranger.encryption.requestApproval(deviceName: "\(number)")
        }
        #expect(try await stranger.encryption.approvalRequests().count == ApprovalEnvelope.limit)
        await #expect(throws: ContainerEncryption.Failure.requestNotFound) { _ = try await pending.accept() }
        await #expect(
            code { _ = try await device.encryption.requestApproval(deviceName: String(repeating: "x", count: 256)) }
                == .invalidArguments)
        _ = try await device.encryption.requestApproval(deviceName: String(repeating: "x", count: 255))
    }

    @Test("devices that make keys at the same time end with one set", arguments: Door.allCases)
    func race(_ door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        let stores = [MemoryKeyStore(), MemoryKeyStore()]
        // Three programs on each of two devices.
        let programs = (0..<6).map { (number: $0, container: app.device(stores[$0 % 2])) }
        let outcomes = await withTaskGroup(of: (Int, CKError.Code?).self) { group in
            for program in programs {
                group.addTask {
                    let outcome = await code {
                        try await save("\(program.number)", "r\(program.number)", in: zoneID, program.container)
                    }
                    return (program.number, outcome)
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        // The device whose keys were second must be approved; all programs of the other have the same keys.
        let winners = Set(programs.map(\.number).filter { outcomes[$0] == nil }.map { $0 % 2 })
        #expect(winners.count == 1, "\(outcomes)")
        #expect(outcomes.values.allSatisfy { $0 == .accountTemporarilyUnavailable }, "\(outcomes)")
        let winner = try #require(winners.first)
        for program in programs where program.number % 2 == winner {
            #expect(
                try await secret("r\(program.number)", in: zoneID, app.device(stores[winner])) == "\(program.number)")
        }
        #expect(try await app.device(stores[1 - winner]).encryption.status() == .locked)
    }

    @Test("a lost answer to the making of keys loses no keys")
    func lostAnswers() async throws {
        let app = try await Door.inProcess.open()
        let store = MemoryKeyStore()
        let transport = LosingTransport(app.transport)
        let device = CKContainer(
            identifier: try #require(app.alice.containerIdentifier), transport: transport, keyStore: store)
        // Account key, zone key, record: each answer is lost once.
        for _ in 0..<3 { await #expect(code { try await save("x", in: .default, device) } == .serverResponseLost) }
        transport.isLosing.withLock { $0 = false }
        #expect(try await secret(in: .default, device) == "x")
    }
}
