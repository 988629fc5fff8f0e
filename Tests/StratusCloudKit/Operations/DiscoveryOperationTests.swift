import CloudKit
import StratusCloudCrypto
import StratusTestSupport
import StratusTesting
import Testing

/// What the operations that look for people tell their blocks.
@Suite struct DiscoveryOperationTests {
    @Test func theOlderBlockOfALookup() async throws {
        let cloud = try await LocalCloud()
        _ = cloud.account("bob", .init(emailAddress: "bob@example.org", givenName: "Bob", isDiscoverable: true))
        let ada = cloud.account("ada").device()
        let diary = Diary()
        func look() async {
            let operation = CKDiscoverUserIdentitiesOperation(userIdentityLookupInfos: [
                .init(emailAddress: "bob@example.org"), .init(emailAddress: "nobody@example.org"),
            ])
            operation.userIdentityDiscoveredBlock = { identity, _ in
                diary.note(identity.nameComponents?.givenName ?? "")
            }
            operation.discoverUserIdentitiesCompletionBlock = { error in
                diary.note("\((error as? CKError)?.code.rawValue ?? 0)")
            }
            await end(of: operation) { _ in ada.container.add(operation) }
        }
        await look()
        ada.signOut()
        await look()
        #expect(diary.text == ["Bob", "0", "\(CKError.Code.notAuthenticated.rawValue)"])
    }

    @Test func everybodyOfTheAddressBookWhoWantsToBeFound() async throws {
        let tenant = try await Tenant(in: try await Cloud.shared())
        for arguments in [
            ["update", "--email", tenant.bob.email, "--given-name", "Bob"],
            ["discover", "--email", tenant.bob.email, "--allow", "on", "--container", tenant.container]
                + ["--environment", "development"],
        ] { _ = try await tenant.cloud.tool(["account"] + arguments) }
        let book = try await tenant.publicDatabase.get("users/lookup/contacts")
        let salt = try #require(book.json["contactSalt"].string.flatMap { Data(base64Encoded: $0) })
        let hashes = [tenant.bob.email, "nobody@example.org"].map { address in
            JSON.string(Data(SHA256.hash(Array(salt) + Array(address.utf8))).base64EncodedString())
        }
        _ = try await tenant.publicDatabase.post("users/lookup/contacts", ["contactHashes": .array(hashes)])
        let container = CKContainer(
            identifier: tenant.container,
            configuration: StratusConfiguration(
                url: tenant.cloud.server.url, apiToken: tenant.apiToken, webAuthToken: tenant.alice.webAuthToken))
        let diary = Diary()
        func add(_ operation: CKDiscoverAllUserIdentitiesOperation) async {
            operation.userIdentityDiscoveredBlock = { diary.note($0.nameComponents?.givenName ?? "") }
            operation.discoverAllUserIdentitiesCompletionBlock = { diary.note("older \($0 == nil)") }
            await end(of: operation) { _ in container.add(operation) }
        }
        await add(CKDiscoverAllUserIdentitiesOperation())
        let newer = CKDiscoverAllUserIdentitiesOperation()
        newer.discoverAllUserIdentitiesResultBlock = { diary.note("newer \($0.isSuccess)") }
        await add(newer)
        #expect(diary.text == ["Bob", "older true", "Bob", "newer true"])
        let found = try await answer { container.discoverAllIdentities(completionHandler: $0) }
        #expect(found?.map(\.userRecordID?.recordName) == [tenant.bob.userRecordName])
    }

    @Test func whoIsSignedOutFindsNobody() async throws {
        let ada = try await LocalCloud().account("ada").device()
        ada.signOut()
        let diary = Diary()
        let operation = CKDiscoverAllUserIdentitiesOperation()
        operation.discoverAllUserIdentitiesResultBlock = { diary.note("\($0.code == .notAuthenticated)") }
        await end(of: operation) { _ in ada.container.add(operation) }
        #expect(diary.text == ["true"])
    }
}
