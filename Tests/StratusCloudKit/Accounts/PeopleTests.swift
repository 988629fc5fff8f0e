import CloudKit
import StratusTestSupport
import Testing

/// Looking for people, over HTTP.
@Suite struct PeopleTests {
    private let tenant: Tenant
    private let container: CKContainer

    init() async throws {
        tenant = try await Tenant(in: try await Cloud.shared())
        container = CKContainer(
            identifier: tenant.container,
            configuration: StratusConfiguration(
                url: tenant.cloud.server.url, apiToken: tenant.apiToken, webAuthToken: tenant.alice.webAuthToken))
        for arguments in [
            ["update", "--email", tenant.bob.email, "--given-name", "Bob"],
            ["discover", "--email", tenant.bob.email, "--allow", "on", "--container", tenant.container]
                + ["--environment", "development"],
        ] { _ = try await tenant.cloud.tool(["account"] + arguments) }
    }

    private var bobsID: CKRecord.ID { CKRecord.ID(recordName: tenant.bob.userRecordName) }

    @Test func whoWantsToBeFoundIsFound() async throws {
        let found = try #require(try await container.userIdentity(forEmailAddress: tenant.bob.email))
        #expect(found.userRecordID == bobsID && found.nameComponents?.givenName == "Bob" && found.hasiCloudAccount)
        #expect(found.lookupInfo == CKUserIdentity.LookupInfo(emailAddress: tenant.bob.email))
        #expect(try await container.userIdentity(forUserRecordID: bobsID)?.userRecordID == bobsID)
        let people = try await container.userIdentities(forEmailAddresses: [tenant.bob.email, "nobody@example.org"])
        #expect(people.keys.sorted() == [tenant.bob.email])
    }

    @Test func whoDoesNotIsNobody() async throws {
        let bobs = CKContainer(
            identifier: tenant.container,
            configuration: StratusConfiguration(
                url: tenant.cloud.server.url, apiToken: tenant.apiToken, webAuthToken: tenant.bob.webAuthToken))
        #expect(try await bobs.userIdentity(forEmailAddress: tenant.alice.email) == nil)
        #expect(try await container.userIdentity(forPhoneNumber: "+4912345678") == nil)
    }

    @Test func theOperation() async throws {
        let diary = Diary()
        let operation = CKDiscoverUserIdentitiesOperation(userIdentityLookupInfos: [
            .init(emailAddress: tenant.bob.email), .init(emailAddress: tenant.alice.email),
        ])
        let email = tenant.bob.email
        operation.userIdentityDiscoveredBlock = { identity, info in
            diary.note("\(identity.nameComponents?.givenName ?? "") \(info.emailAddress == email)")
        }
        operation.discoverUserIdentitiesResultBlock = { diary.note("\($0.isSuccess)") }
        await end(of: operation) { _ in container.add(operation) }
        #expect(diary.text == ["Bob true", "true"])
    }
}
