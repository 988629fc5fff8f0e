import Foundation
import StratusDeviceCredentials
import StratusTestSupport
import Testing

@testable import StratusUbiquity

/// The places of stores on a machine.
@Suite struct KeyValueFileTests {
    private let home: TemporaryDirectory
    private let container = "iCloud.org.example.app"

    init() throws { home = try TemporaryDirectory() }

    private func file(_ account: UbiquityAccount?, container: String? = "iCloud.org.example.app") -> KeyValueFile {
        KeyValueFile(container: container, store: nil, account: account, variables: ["HOME": home.path])
    }

    private func replica(_ file: KeyValueFile) -> KeyValueReplica { KeyValueReplica(file, clock: .system) { _ in } }

    private func account(_ person: String, url: String = "https://cloud.example.org") -> UbiquityAccount {
        UbiquityAccount(
            identity: [url, "development", person], containers: [container], userRecordName: "_" + person)
    }

    private func write(_ text: String, to file: KeyValueFile) throws {
        let replica = replica(file)
        replica.write(PropertyListValue.data(of: text), forKey: "k")
        try #require(replica.save())
    }

    private func text(_ file: KeyValueFile) -> String? {
        replica(file).value(forKey: "k").flatMap(PropertyListValue.value) as? String
    }

    @Test("each person of each cloud has a store") func accounts() throws {
        let accounts = [account("ada"), account("bob"), account("ada", url: "https://other.example.org")]
        let files = accounts.map { file($0) }
        for (number, file) in files.enumerated() { try write("\(number)", to: file) }
        #expect(files.map(text) == ["0", "1", "2"])
    }

    @Test("values that were written without an account or a configuration become those of who signs in first")
    func signIn() throws {
        try write("program", to: file(nil, container: nil))
        #expect(text(file(nil)) == "program")
        #expect(text(file(account("ada"))) == "program")
        #expect(text(file(nil)) == nil && text(file(account("bob"))) == nil)
        // Signed out, and in again.
        try write("later", to: file(nil))
        #expect(text(file(account("ada"))) == "later")
        #expect(text(file(nil)) == nil)
    }

    @Test("a store that another person signed in to, or that a process uses, is not taken over") func others() throws {
        let store = file(nil)
        let replica = replica(store)
        replica.write(PropertyListValue.data(of: "bob's"), forKey: "k")
        #expect(replica.change { $0.signIn("_bob") } != nil)
        #expect(text(file(account("ada"))) == nil)
        let lock = try #require(try FileLock.trying(store.syncLockPath))
        #expect(text(file(account("bob"))) == nil)
        withExtendedLifetime(lock) {}
    }

    @Test("a file that is too large or damaged is renamed, and the store begins anew", arguments: [true, false])
    func damaged(isLarge: Bool) throws {
        let store = file(account("ada"))
        try write("old", to: store)
        let bytes = isLarge ? Data(count: KeyValueFile.limit + 1) : Data("no property list".utf8)
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: store.path))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: bytes)
        try handle.close()
        try write("new", to: store)
        #expect(text(store) == "new")
        #expect(FileManager.default.contents(atPath: store.path + ".damaged") == bytes)
    }
}
