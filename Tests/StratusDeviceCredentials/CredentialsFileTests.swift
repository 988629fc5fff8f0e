import Foundation
import StratusDeviceCredentials
import StratusTestSupport
import Testing

@Suite struct CredentialsFileTests {
    private let home: TemporaryDirectory
    private let file: CredentialsFile

    init() throws {
        home = try TemporaryDirectory()
        file = CredentialsFile(directory: home.path + "/stratus/accounts")
    }

    private func session(_ container: String = "iCloud.a", _ user: String = "_u", token: String = "t") -> StoredSession
    {
        StoredSession(
            url: "https://cloud.example", container: container, environment: "development", apiToken: "a",
            webAuthToken: token, userRecordName: user, renewed: 1)
    }

    private func mode(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test func whatIsWrittenIsForTheUserAlone() throws {
        #expect(try file.read() == StoredCredentials())
        #expect(try file.update { $0.add(session(), to: "work") } == nil)
        #expect(try file.read().sessions(of: "work") == [session()])
        #expect(try file.read().profileNames == ["work"])
        #expect(try mode(file.path) == 0o600 && mode(file.directory) == 0o700)
    }

    @Test(arguments: [0o640, 0o604, 0o620, 0o660])
    func aFileThatOthersCanUseIsRefused(_ mode: Int) throws {
        _ = try file.update { $0.add(session(), to: "default") }
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        let error = #expect(throws: CredentialsError.self) { try file.read() }
        #expect(error?.description.contains("chmod 600 '\(file.path)'") == true)
        #expect(throws: CredentialsError.self) { try file.update { $0.add(session("iCloud.b"), to: "default") } }
    }

    @Test func aDirectoryThatOthersCanEnterIsRefused() throws {
        _ = try file.update { $0.add(session(), to: "default") }
        try FileManager.default.setAttributes([.posixPermissions: 0o750], ofItemAtPath: file.directory)
        let error = #expect(throws: CredentialsError.self) { try file.read() }
        #expect(error?.description.contains("chmod 700 '\(file.directory)'") == true)
    }

    @Test func damagedAndNewerFilesAreRefused() throws {
        _ = try file.update { $0.add(session(), to: "default") }
        for text in ["{", #"{"version":2,"profiles":{}}"#] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: file.path))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            let error = #expect(throws: CredentialsError.self) { try file.read() }
            #expect(error?.description.contains(file.path) == true)
        }
    }

    @Test func aSignInReplacesTheOneOfTheSamePlaceAndComesFirst() throws {
        _ = try file.update { $0.add(session("iCloud.a"), to: "default") }
        _ = try file.update { $0.add(session("iCloud.b"), to: "default") }
        let former = try file.update { $0.add(session("iCloud.a", "_v"), to: "default") }
        #expect(former?.userRecordName == "_u")
        #expect(try file.read().sessions(of: "default").map(\.userRecordName) == ["_v", "_u"])
        #expect(try file.update { $0.remove(from: "default") { $0.container == "iCloud.a" } }.count == 1)
        #expect(try file.read().sessions(of: "default").map(\.container) == ["iCloud.b"])
    }

    @Test func aRenewedTokenSignsNobodyInAgain() throws {
        _ = try file.update { $0.add(session(), to: "default") }
        try file.renew(session(token: "new"), in: "default")
        #expect(try file.read().sessions(of: "default").map(\.webAuthToken) == ["new"])
        try file.renew(session("iCloud.a", "_other", token: "x"), in: "default")
        #expect(try file.read().sessions(of: "default").map(\.webAuthToken) == ["new"], "somebody else's")
        _ = try file.update { $0.remove(from: "default") { _ in true } }
        try file.renew(session(token: "late"), in: "default")
        #expect(try file.read() == StoredCredentials())
    }

    @Test func writersDoNotLoseEachOthersSignIns() async throws {
        let file = file
        await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<32 {
                group.addTask {
                    _ = try file.update {
                        $0.add(
                            StoredSession(
                                url: "https://x", container: "iCloud.\(number)", environment: "development",
                                apiToken: "a", webAuthToken: "t", userRecordName: "_u", renewed: 1), to: "default")
                    }
                }
            }
        }
        #expect(try file.read().sessions(of: "default").count == 32)
    }

    @Test func whereTheFileIs() {
        #expect(
            CredentialsFile(environment: ["XDG_CONFIG_HOME": "/x", "HOME": "/h"])?.path
                == "/x/stratus/accounts/credentials.json")
        #expect(
            CredentialsFile(environment: ["XDG_CONFIG_HOME": "x", "HOME": "/h"])?.directory
                == "/h/.config/stratus/accounts")
        #expect(CredentialsFile(environment: [:]) == nil)
    }

    @Test(arguments: [("work", true), ("a.b_c-1", true), ("", false), ("a/b", false), ("ä", false)])
    func profileNames(_ name: String, _ isOne: Bool) {
        #expect(StoredCredentials.isProfileName(name) == isOne)
        #expect(StoredCredentials.isProfileName(String(repeating: "a", count: StoredCredentials.profileLength)))
        #expect(!StoredCredentials.isProfileName(String(repeating: "a", count: StoredCredentials.profileLength + 1)))
    }
}

@Suite struct FileWatchTests {
    @Test func tellsOfAFileWhoseDirectoriesComeLater() async throws {
        let home = try TemporaryDirectory()
        let file = home.path + "/a/b/c.json"
        let (changes, continuation) = AsyncStream<Void>.makeStream()
        let watch = try #require(FileWatch(file) { continuation.yield() })
        var heard = changes.makeAsyncIterator()
        try FileManager.default.createDirectory(atPath: home.path + "/a/b", withIntermediateDirectories: true)
        try "1".write(toFile: file, atomically: true, encoding: .utf8)
        await heard.next()
        // Until it is told of the last state: what comes together may be told once or twice.
        try "22".write(toFile: file, atomically: true, encoding: .utf8)
        await heard.next()
        try FileManager.default.removeItem(atPath: home.path + "/a")
        repeat { await heard.next() } while FileManager.default.fileExists(atPath: file)
        try FileManager.default.createDirectory(atPath: home.path + "/a/b", withIntermediateDirectories: true)
        try "1".write(toFile: file, atomically: false, encoding: .utf8)
        await heard.next()
        withExtendedLifetime(watch) {}
    }
}
