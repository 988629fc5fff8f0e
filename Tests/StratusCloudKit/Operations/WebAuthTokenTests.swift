import CloudKit
import StratusTestSupport
import Testing

/// A token that a program hands to a page.
@Suite struct WebAuthTokenTests {
    private func token(_ container: CKContainer, for apiToken: String) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            let operation = CKFetchWebAuthTokenOperation(apiToken: apiToken)
            operation.fetchWebAuthTokenResultBlock = { continuation.resume(with: $0) }
            container.privateCloudDatabase.add(operation)
        }
    }

    private func container(_ tenant: Tenant, _ webAuthToken: String?) -> CKContainer {
        CKContainer(
            identifier: tenant.container,
            configuration: StratusConfiguration(
                url: tenant.cloud.server.url, apiToken: tenant.apiToken, webAuthToken: webAuthToken))
    }

    @Test func aWebClientCanUseIt() async throws {
        let tenant = try await Tenant.shared("WebAuthToken")
        let container = container(tenant, tenant.alice.webAuthToken)
        let webToken = try await tenant.cloud.makeToken(tenant.container)
        let token = try await token(container, for: webToken)
        let page = tenant.database("private", .user(apiToken: webToken, webAuthToken: token))
        let caller = try await tenant.database("public", .user(apiToken: webToken, webAuthToken: token))
            .get("users/caller")
        #expect(caller.json["userRecordName"].string == tenant.alice.userRecordName)
        let name = Unique.name("page")
        try await container.privateCloudDatabase.save(note(name))
        #expect(try await page.lookup([name]).json["records"][0]["fields"]["title"]["value"].string == "Hi")
        // It is a session of its own.
        _ = try await page.send("POST", path: "/sign-out", body: Array("ckWebAuthToken=\(token)".utf8))
        #expect(try await container.accountStatus() == .available)
    }

    @Test func tokensOfOtherPlacesAndNobodyGetNone() async throws {
        let tenant = try await Tenant.shared("WebAuthToken")
        let alice = container(tenant, tenant.alice.webAuthToken)
        for apiToken in [tenant.productionToken, String(repeating: "0", count: 64), "", "x"] {
            #expect(await code { _ = try await token(alice, for: apiToken) } == .notAuthenticated)
        }
        let nobody = container(tenant, nil)
        #expect(await code { _ = try await token(nobody, for: tenant.apiToken) } == .notAuthenticated)
    }

    @Test func theOlderBlock() async throws {
        let tenant = try await Tenant.shared("WebAuthToken")
        let operation = CKFetchWebAuthTokenOperation(apiToken: tenant.apiToken)
        let diary = Diary()
        operation.fetchWebAuthTokenCompletionBlock = { token, error in
            diary.note("\(token?.count ?? 0 > 100) \(error == nil)")
        }
        let container = container(tenant, tenant.alice.webAuthToken)
        await end(of: operation) { _ in container.privateCloudDatabase.add(operation) }
        #expect(diary.text == ["true true"])
    }
}
