import CloudKit
import StratusTestSupport
import Testing

/// A server with a certificate of an authority of one's own.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl"), "needs the openssl tool"))
struct CertificateTests {
    /// An authority, and what it vouches for.
    private struct Authority {
        let directory: TemporaryDirectory
        var file: String { directory.path + "/ca.pem" }
        var chain: String { directory.path + "/server.pem" }
        var key: String { directory.path + "/server.key" }

        init() async throws {
            directory = try TemporaryDirectory()
            let path = directory.path
            let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
            try "subjectAltName=IP:127.0.0.1\nbasicConstraints=CA:FALSE\n".write(
                toFile: path + "/extensions", atomically: true, encoding: .utf8)
            for arguments in [
                ["req", "-x509"] + curve + [
                    "-keyout", path + "/ca.key", "-out", path + "/ca.pem", "-subj", "/CN=Test CA",
                ],
                ["req"] + curve + ["-keyout", path + "/server.key", "-out", path + "/request", "-subj", "/CN=server"],
                [
                    "x509", "-req", "-in", path + "/request", "-CA", path + "/ca.pem", "-CAkey", path + "/ca.key",
                    "-CAcreateserial", "-extfile", path + "/extensions", "-out", path + "/server.pem",
                ],
            ] {
                let process = try ChildProcess("/usr/bin/openssl", arguments)
                let errors = await process.standardError
                guard await process.ending == .exited(0) else { throw Tool.Failure(description: errors) }
            }
        }
    }

    @Test func onlyTheRightAuthorityIsTrusted() async throws {
        let (right, wrong) = (try await Authority(), try await Authority())
        let cloud = try await Cloud(arguments: ["--tls-cert", right.chain, "--tls-key", right.key])
        let container = Unique.name("iCloud.org.example.")
        try await cloud.makeContainer(container)
        let apiToken = try await cloud.makeToken(container)
        let (email, password) = (Unique.name("ada") + "@example.org", "a long password")
        try await cloud.makeAccount(email, password: password)
        let session = try await cloud.makeSession(email, container)
        let url = cloud.server.url.replacing("http://", with: "https://")
        func database(_ authority: String?) -> CKDatabase {
            CKContainer(
                identifier: container,
                configuration: StratusConfiguration(
                    url: url, apiToken: apiToken, webAuthToken: session.webAuthToken,
                    certificateAuthorityFile: authority)
            ).privateCloudDatabase
        }
        try await database(right.file).save(note("a"))
        #expect(try await database(right.file).record(for: .init(recordName: "a"))["title"] == "Hi")
        for authority in [wrong.file, nil, "/nowhere.pem"] {
            // Nothing was sent, so it is no lost answer, and no network that may come back.
            #expect(await code { try await database(authority).save(note("b")) } == .networkFailure)
        }
        #expect(await code { _ = try await database(right.file).record(for: .init(recordName: "b")) } == .unknownItem)

        // The tool takes the authority from the environment, and notes it down for programs.
        let home = try TemporaryDirectory()
        func login(_ authority: String) async throws -> Tool.Run {
            try await Tool.run(
                [
                    "login", url, "--container", container, "--api-token", apiToken, "--email", email,
                    "--password-stdin",
                ], input: password + "\n",
                environment: ["XDG_CONFIG_HOME": home.path, "STRATUS_CA_FILE": authority, "STRATUS_PROFILE": ""])
        }
        let refused = try await login(wrong.file)
        #expect(refused.ending == .exited(1) && refused.errors.contains("STRATUS_CA_FILE"), "\(refused)")
        let signedIn = try await login(right.file)
        #expect(signedIn.ending == .exited(0), "\(signedIn)")
        let stored = CKContainer(
            identifier: container,
            configuration: StratusConfiguration(
                url: url, profile: "default", credentialsDirectory: home.path + "/stratus/accounts"))
        #expect(try await stored.accountStatus() == .available)
    }
}
