import CloudKit
import Foundation
import Glibc
import StratusTestSupport
import Testing

@Suite struct KeyStoreTests {
    private let home: TemporaryDirectory
    private let store: FileKeyStore

    init() throws {
        home = try TemporaryDirectory()
        store = FileKeyStore(directory: home.path + "/stratus/keys")
    }

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    private var files: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: store.directory).map { store.directory + "/" + $0 }
        }
    }

    @Test("a secret is kept, changed and forgotten; names are any text") func secrets() async throws {
        let names = ["iCloud.a/_b/1", "../../etc/passwd", "", "\n", String(repeating: "ü/", count: 1_000)]
        for (index, name) in names.enumerated() {
            #expect(try await store.secret(named: name) == nil)
            try await store.setSecret([UInt8(index)], named: name)
        }
        for (index, name) in names.enumerated() { #expect(try await store.secret(named: name) == [UInt8(index)]) }
        #expect(try files.count == names.count)
        try await store.setSecret([7, 8], named: names[0])
        #expect(try await FileKeyStore(directory: store.directory).secret(named: names[0]) == [7, 8])
        try await store.removeSecret(named: names[0])
        try await store.removeSecret(named: names[0])
        #expect(try await store.secret(named: names[0]) == nil)
        #expect(try await store.secret(named: names[1]) == [1])
    }

    @Test("nobody else can read it, and what others can read is refused") func modes() async throws {
        try await store.setSecret([1], named: "a")
        let file = try #require(try files.first)
        #expect(mode(file) == 0o600 && mode(store.directory) == 0o700)
        for (path, wide, right) in [(file, 0o640, 0o600), (file, 0o604, 0o600), (store.directory, 0o750, 0o700)] {
            #expect(chmod(path, mode_t(wide)) == 0)
            await #expect(throws: DeviceKeyStoreError.self) { _ = try await store.secret(named: "a") }
            #expect(chmod(path, mode_t(right)) == 0)
            #expect(try await store.secret(named: "a") == [1])
        }
        #expect(chmod(store.directory, 0o770) == 0)
        await #expect(throws: DeviceKeyStoreError.self) { try await store.setSecret([2], named: "b") }
    }

    @Test("a damaged file, or one in another's place, is no missing key") func damage() async throws {
        try await store.setSecret([1, 2, 3], named: "a")
        let file = try #require(try files.first)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        for damaged in ["", "x", String(text.dropLast(2)) + "x\n", text.replacing("\na\n", with: "\nb\n")] {
            try damaged.write(toFile: file, atomically: false, encoding: .utf8)
            await #expect(throws: DeviceKeyStoreError.self) { _ = try await store.secret(named: "a") }
        }
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: "/dev/null")
        await #expect(throws: DeviceKeyStoreError.self) { _ = try await store.secret(named: "a") }
    }

    @Test("a store that cannot be used makes no new keys") func unusableStore() async throws {
        let app = try await Door.inProcess.open()
        let device = app.device(store)
        let record = note("a")
        record.encryptedValues["secret"] = "x"
        try await device.privateCloudDatabase.save(record)
        #expect(chmod(store.directory, 0o755) == 0)
        let other = app.device(store).privateCloudDatabase
        do {
            _ = try await other.record(for: record.recordID)
            Issue.record("a store that others can read was used")
        } catch let error as CKError {
            #expect(error.code == .accountTemporarilyUnavailable)
            #expect(error.localizedDescription.contains("chmod go= '\(store.directory)'"))
        }
        let second = note("b")
        second.encryptedValues["secret"] = "x"
        await #expect(code { try await other.save(second) } == .accountTemporarilyUnavailable)
        #expect(chmod(store.directory, 0o700) == 0)
        #expect(try await other.record(for: record.recordID).encryptedValues["secret"] as? String == "x")
    }

    @Test("the desktop's keyring keeps them, too", .enabled(if: Desktop.isInstalled)) func secretService() async throws
    {
        let desktop = try await Desktop(home: home.path)
        let store = SecretServiceKeyStore(command: desktop.command)
        #expect(try await store.secret(named: "a/b") == nil)
        try await store.setSecret([1, 2, 255], named: "a/b")
        try await store.setSecret([3], named: "--label=x")
        #expect(try await store.secret(named: "a/b") == [1, 2, 255])
        #expect(try await SecretServiceKeyStore(command: desktop.command).secret(named: "--label=x") == [3])
        try await store.setSecret([4], named: "a/b")
        #expect(try await store.secret(named: "a/b") == [4])
        try await store.removeSecret(named: "a/b")
        try await store.removeSecret(named: "a/b")
        #expect(try await store.secret(named: "a/b") == nil)
        // Its end is the end of the bus.
        withExtendedLifetime(desktop) {}
    }

    @Test("without a keyring there is an error, and no missing key", arguments: ["secret-tool", "no-such-program"])
    func noSecretService(_ program: String) async throws {
        // An address at which nobody listens.
        let wrapper = home.path + "/tool"
        let script = "#!/bin/sh\nDBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent exec \(program) \"$@\"\n"
        try script.write(toFile: wrapper, atomically: true, encoding: .utf8)
        #expect(chmod(wrapper, 0o700) == 0)
        let store = SecretServiceKeyStore(command: wrapper)
        await #expect(throws: DeviceKeyStoreError.self) { _ = try await store.secret(named: "a") }
        await #expect(throws: DeviceKeyStoreError.self) { try await store.setSecret([1], named: "a") }
    }
}

/// A session bus with an unlocked keyring, as a desktop has them.
private final class Desktop: Sendable {
    static let isInstalled = ["dbus-run-session", "gnome-keyring-daemon", "secret-tool"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/" + $0)
    }

    /// `secret-tool` on this bus.
    let command: String
    private let session: ChildProcess
    /// The program of the session, with which the session ends, its bus and its keyring.
    private let program: pid_t

    init(home: String) async throws {
        let script = """
            printf password | gnome-keyring-daemon --unlock --components=secrets >/dev/null
            echo "bus $$ $DBUS_SESSION_BUS_ADDRESS"
            exec sleep infinity
            """
        session = try ChildProcess(
            "/usr/bin/dbus-run-session", ["--", "/bin/sh", "-c", script],
            environment: ["HOME": home, "XDG_DATA_HOME": home + "/data", "XDG_RUNTIME_DIR": home])
        command = home + "/secret-tool"
        for await line in session.lines {
            let words = line.split(separator: " ", maxSplits: 2)
            guard words.count == 3, words[0] == "bus", let id = pid_t(words[1]) else { continue }
            program = id
            let script = "#!/bin/sh\nDBUS_SESSION_BUS_ADDRESS='\(words[2])' exec /usr/bin/secret-tool \"$@\"\n"
            try script.write(toFile: command, atomically: true, encoding: .utf8)
            _ = chmod(command, 0o700)
            return
        }
        throw DeviceKeyStoreError("The session bus did not start: \(await session.standardError)")
    }

    deinit { kill(program, SIGTERM) }
}
