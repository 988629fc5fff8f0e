import CloudKit
import Foundation
import StratusCloudModel
import StratusTestSupport
import Testing

@testable import StratusCloudKit

/// What the server and its operator have: everything on the disk, and everything that went over the wire.
@Suite struct SecrecyTests {
    @Test("no plain value and no key is in the data directory, the traffic or the log")
    func nothingLeaks() async throws {
        let cloud = try await Cloud()
        let tenant = try await Tenant(in: cloud)
        let wire = try WireTap(to: cloud.server.url)
        let stores = [MemoryKeyStore(), MemoryKeyStore()]
        let container = try #require(ContainerIdentifier(tenant.container))
        func device(_ store: MemoryKeyStore) -> CKContainer {
            let endpoint = HTTPCloudTransport.Endpoint(
                server: wire.url, container: container, environment: .development, apiToken: tenant.apiToken,
                webAuthToken: tenant.alice.webAuthToken)
            return CKContainer(
                identifier: tenant.container, transport: HTTPCloudTransport(endpoint, http: Database.http),
                keyStore: store)
        }
        let (first, second) = (device(stores[0]), device(stores[1]))
        let secret = "correct horse battery staple \(UUID())"
        let visible = "visible-\(UUID())"

        // Everything that is done with keys.
        let zone = try await first.privateCloudDatabase.save(CKRecordZone(zoneName: "Notes"))
        let record = note("a", in: zone.zoneID, visible)
        record.encryptedValues["text"] = secret
        record.encryptedValues["list"] = [secret, secret]
        record.encryptedValues["data"] = Data(secret.utf8)
        try await first.privateCloudDatabase.save(record)
        let phrase = try await first.encryption.makeRecoveryPhrase()
        let pending = try await second.encryption.requestApproval(deviceName: "second")
        let request = try #require(try await first.encryption.approvalRequests().first)
        try await first.encryption.approve(request, code: pending.code)
        #expect(try await pending.accept())
        let fetched = try await second.privateCloudDatabase.record(for: record.recordID)
        #expect(fetched.encryptedValues["text"] as? String == secret)
        try await second.encryption.rotateKey(of: zone.zoneID)
        try await second.encryption.reencrypt(zone.zoneID)
        try await first.encryption.replaceKeys()
        let again = device(stores[0]).privateCloudDatabase
        let last = try await again.record(for: record.recordID)
        last.encryptedValues["text"] = secret + secret
        try await again.save(last)
        let name = CKRecord.ID(recordName: KeyRecords.Name.zone("Notes"))
        let transport = try #require(first.source.connection.transport as? HTTPCloudTransport)
        let envelope = try ZoneEnvelope(try #require(try await RawCloud(transport).field("envelope", of: name)))

        cloud.server.terminate()
        _ = await cloud.server.ending
        var evidence = wire.bytes + Array(await cloud.server.log.utf8)
        let traffic = evidence.count
        for file in try Self.files(in: cloud.directory.path) { evidence += [UInt8](try Data(contentsOf: file)) }
        #expect(traffic > 10_000 && evidence.count > traffic + 10_000)

        // What is not encrypted is found in both, so the search finds what is there.
        #expect(Haystack(Array(evidence[..<traffic])).contains(Array(visible.utf8)))
        #expect(Haystack(Array(evidence[traffic...])).contains(Array(visible.utf8)))
        let haystack = Haystack(evidence)
        var needles: [(String, [UInt8])] = [
            ("value", Array(secret.utf8)), ("part of a value", Array("battery staple".utf8)),
            ("phrase", Array(phrase.words.utf8)), ("code", Array(pending.code.utf8)),
            ("code", try #require(PronounceableWords.decode(pending.code, words: 6))),
        ]
        let secrets = stores.flatMap(\.all)
        #expect(secrets.count == 2, "the new key on the first device, the old one on the second")
        for secret in secrets { needles.append(("account key", secret)) }
        // The zones' keys, as devices come to them.
        let place = AccountPlace(container: tenant.container, user: tenant.alice.userRecordName)
        let keys = secrets.map { AccountKey($0) }
        let zoneKeys = Set(
            keys.flatMap { key in envelope.keys.compactMap { key.unwrap($0, of: "Notes", place) } })
        #expect(zoneKeys.count == 3, "of the first save, of the rotation, and of the replacement")
        for key in zoneKeys {
            needles.append(("zone key", key.secret))
            needles.append(("record key", key.recordKey("a")))
        }
        for (name, needle) in needles { #expect(!haystack.contains(needle), "a \(name) has leaked") }
    }

    static func files(in directory: String) throws -> [URL] {
        let all = try FileManager.default.subpathsOfDirectory(atPath: directory)
        return all.map { URL(fileURLWithPath: directory + "/" + $0) }.filter { url in
            var isDirectory: ObjCBool = false
            return FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) && !isDirectory.boolValue
        }
    }
}

extension MemoryKeyStore {
    var all: [[UInt8]] { names.map { secret(named: $0) ?? [] } }
}
