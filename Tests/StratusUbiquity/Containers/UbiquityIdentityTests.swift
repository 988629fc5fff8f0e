import Foundation
import StratusDeviceCredentials
import StratusTestSupport
import Testing

@testable import StratusUbiquity

@Suite struct UbiquityIdentityTests {
    /// A sign-in, another token of the same person, and a sign-out.
    @Test func aChangeOfTheAccountIsPosted() async throws {
        let home = try TemporaryDirectory()
        let variables = ["HOME": home.path, "XDG_CONFIG_HOME": home.path + "/config"]
        let credentials = try #require(CredentialsFile(environment: variables))
        let (posts, continuation) = AsyncStream<Void>.makeStream()
        let observer = NotificationCenter.default.addObserver(
            forName: .NSUbiquityIdentityDidChange, object: nil, queue: nil
        ) { _ in continuation.yield() }
        defer { NotificationCenter.default.removeObserver(observer) }
        var next = posts.makeAsyncIterator()
        let identity = UbiquityIdentity { variables }
        identity.watch()
        var session = StoredSession(
            url: "http://127.0.0.1:1", container: "iCloud.org.example.a", environment: "development", apiToken: "a",
            webAuthToken: "b", userRecordName: "_ada", renewed: 1)
        try credentials.update { [session] in _ = $0.add(session, to: StoredCredentials.standardProfile) }
        await next.next()
        #expect(UbiquityAccount.current(variables)?.identity.last == "_ada")
        session.webAuthToken = "c"
        try credentials.renew(session, in: StoredCredentials.standardProfile)
        try credentials.update { _ = $0.remove(from: StoredCredentials.standardProfile) { _ in true } }
        await next.next()
        #expect(UbiquityAccount.current(variables) == nil)
        withExtendedLifetime(identity) {}
    }
}
