import CloudKit
import StratusTesting
import Testing

/// The introduction's section on accounts: identity, metadata, privacy, discovery.
@Suite struct UserAccountTests {
    private let cloud: LocalCloud
    private let ada: CKContainer
    private let bob: CKContainer

    init() async throws {
        cloud = try await LocalCloud()
        ada = cloud.account("ada").container
        let profile = LocalCloud.Profile(
            emailAddress: "bob@example.org", givenName: "Bob", familyName: "Bell", isDiscoverable: true)
        bob = cloud.account("bob", profile).container
    }

    @Test("An app asks only whether somebody is signed in")
    func status() async throws {
        #expect(try await ada.accountStatus() == .available)
        let device = cloud.account("ada").device("tablet")
        device.signOut()
        #expect(try await device.container.accountStatus() == .noAccount)
    }

    @Test("A user has one identifier in a container, on all devices, and another in each container")
    func identity() async throws {
        let first = try await answer { ada.fetchUserRecordID(completionHandler: $0) }
        let tablet = cloud.account("ada").device("tablet")
        #expect(try await tablet.container.userRecordID() == first)
        #expect(try await bob.userRecordID() != first)
        #expect(try await cloud.account("ada").container("iCloud.org.example.other").userRecordID() != first)
        #expect(first?.recordName.contains("ada") == false)
    }

    @Test("A user record lies in the public database; everybody can read it, its user can change it")
    func metadata() async throws {
        let userID = try await ada.userRecordID()
        let record = try await ada.publicCloudDatabase.record(for: userID)
        #expect(record.recordType == CKRecord.SystemType.userRecord && record.recordType == "Users")
        record["color"] = "red"
        try await ada.publicCloudDatabase.save(record)
        let read = try await bob.publicCloudDatabase.record(for: userID)
        #expect(read["color"] == "red")
        read["color"] = "blue"
        #expect(await failure { try await bob.publicCloudDatabase.save(read) }?.code == .permissionFailure)
    }

    @Test("User records cannot be queried")
    func userRecordsAreNotQueried() async throws {
        let query = CKQuery(recordType: CKRecord.SystemType.userRecord, predicate: NSPredicate(value: true))
        let refused = await failure { _ = try await ada.publicCloudDatabase.records(matching: query) }
        #expect(refused?.code == .invalidArguments)
    }

    @Test("By default nothing personal is disclosed")
    func privacy() async throws {
        _ = cloud.account("carol", .init(emailAddress: "carol@example.org", givenName: "Carol"))
        let carol = cloud.account("carol").container
        let userID = try await carol.userRecordID()
        #expect(try await ada.userIdentity(forEmailAddress: "carol@example.org") == nil)
        #expect(try await ada.userIdentity(forUserRecordID: userID)?.nameComponents?.givenName == nil)
        #expect(try await ada.publicCloudDatabase.record(for: userID).allKeys().isEmpty)
    }

    @Test("Who agreed is found by identifier or address, with names")
    func discovery() async throws {
        let userID = try await bob.userRecordID()
        let byID = try await answer { ada.discoverUserIdentity(withUserRecordID: userID, completionHandler: $0) }
        let byAddress = try await answer {
            ada.discoverUserIdentity(withEmailAddress: "bob@example.org", completionHandler: $0)
        }
        for found in [byID, byAddress] {
            #expect(found?.userRecordID == userID)
            #expect(found?.nameComponents?.givenName == "Bob" && found?.nameComponents?.familyName == "Bell")
        }
    }

    @Test("All of a user's contacts are looked up at once: there are none on Linux")
    func contacts() async throws {
        let found = try await answer { ada.discoverAllIdentities(completionHandler: $0) }
        #expect(found?.isEmpty == true)
    }
}
