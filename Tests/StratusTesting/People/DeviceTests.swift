import CloudKit
import StratusTesting
import StratusWorkers
import Testing

@Suite struct DeviceTests {
    @Test func devicesOfAPersonSeeTheSame() async throws {
        let cloud = try await LocalCloud()
        let (phone, laptop) = (cloud.account("ada").device("phone"), cloud.account("ada").device("laptop"))
        try await phone.container.privateCloudDatabase.save(note("a"))
        let record = try await laptop.container.privateCloudDatabase.record(for: CKRecord.ID(recordName: "a"))
        #expect(record["title"] == "Hi")
        #expect(phone.container === cloud.account("ada").device("phone").container)
        #expect(phone.container !== laptop.container)
    }

    @Test("100: nobody signed in")
    func signedOut() async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        let container = ada.container
        try await container.privateCloudDatabase.save(note("a"))
        try await container.publicCloudDatabase.save(note("everyone"))
        ada.signOut()
        #expect(try await container.accountStatus() == .noAccount)
        let database = container.privateCloudDatabase
        #expect(await failure { try await database.save(note("b")) }?.code == .notAuthenticated)
        let fetch = await failure { _ = try await database.record(for: CKRecord.ID(recordName: "a")) }
        #expect(fetch?.code == .notAuthenticated)
        let everyones = try await container.publicCloudDatabase.record(for: CKRecord.ID(recordName: "everyone"))
        #expect(everyones["title"] == "Hi")
        ada.signIn()
        #expect(try await container.accountStatus() == .available)
        #expect(try await database.record(for: CKRecord.ID(recordName: "a"))["title"] == "Hi")
    }

    @Test func anotherPersonSignsInOnTheDevice() async throws {
        let cloud = try await LocalCloud()
        let device = cloud.account("ada").device("shared tablet")
        let database = device.container.privateCloudDatabase
        let ada = try await device.container.userRecordID()
        try await database.save(note("a"))
        device.signIn(as: cloud.account("bob"))
        #expect(try await device.container.userRecordID() != ada)
        let fetch = await failure { _ = try await database.record(for: CKRecord.ID(recordName: "a")) }
        #expect(fetch?.code == .unknownItem)
    }

    @Test func changesOfTheAccountAreTold() async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        let device = ada.device()
        let count = Lock(0)
        let observer = NotificationCenter.default.addObserver(forName: .CKAccountChanged, object: nil, queue: nil) {
            _ in
            count.withLock { $0 += 1 }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        device.signOut()
        let after = count.withLock { $0 }
        // Other tests of the process post it, too.
        #expect(after >= 1)
        device.signIn(as: ada)
        #expect(count.withLock { $0 } > after)
    }

    @Test(
        "100, 101: what a device says of its account",
        arguments: [
            (CKAccountStatus.restricted, CKError.Code.notAuthenticated), (.couldNotDetermine, .notAuthenticated),
            (.noAccount, .notAuthenticated), (.temporarilyUnavailable, .accountTemporarilyUnavailable),
        ])
    func status(_ status: CKAccountStatus, _ code: CKError.Code) async throws {
        let cloud = try await LocalCloud()
        let device = cloud.account("ada").device()
        let database = device.container.privateCloudDatabase
        try await database.save(note("a"))
        device.setAccountStatus(status)
        #expect(try await device.container.accountStatus() == status)
        let fetch = await failure { _ = try await database.record(for: CKRecord.ID(recordName: "a")) }
        #expect(fetch?.code == code)
        #expect(await failure { try await database.save(note("b")) }?.code == code)
        device.setAccountStatus(nil)
        try await database.save(note("b"))
    }
}
