import CloudKit
import Foundation
import StratusCloudModel
import StratusTestSupport
import Testing

@testable import StratusCloudKit

/// What the server and its operator have of what people share: everything on the disk, and everything that went over the wire.
@Suite struct SharedSecrecyTests {
    @Test("no value, no key and no link's secret is in the data directory, the traffic or the log")
    func nothingLeaks() async throws {
        let cloud = try await Cloud()
        let tenant = try await Tenant(in: cloud)
        let wire = try WireTap(to: cloud.server.url)
        let identifier = try #require(ContainerIdentifier(tenant.container))
        let stores = [MemoryKeyStore(), MemoryKeyStore()]
        let people = zip([tenant.alice, tenant.bob], stores).map { person, store in
            CKContainer(
                identifier: tenant.container,
                transport: HTTPCloudTransport(
                    HTTPCloudTransport.Endpoint(
                        server: wire.url, container: identifier, environment: .development, apiToken: tenant.apiToken,
                        webAuthToken: person.webAuthToken), http: Database.http), keyStore: store)
        }
        let (ada, bob) = (people[0], people[1])
        let secret = "correct horse battery staple \(UUID())"
        let visible = "visible-\(UUID())"

        // Everything that is done with the keys of shares.
        let zoneID = try await ada.privateCloudDatabase.save(CKRecordZone(zoneName: "Notes")).zoneID
        let root = note("root", in: zoneID, visible)
        root.encryptedValues["text"] = secret
        let share = CKShare(rootRecord: root)
        let (oneTime, other) = (
            CKShare.Participant.oneTimeURLParticipant(), CKShare.Participant.oneTimeURLParticipant()
        )
        oneTime.permission = .readWrite
        share.addParticipant(oneTime)
        share.addParticipant(other)
        _ = try await ada.privateCloudDatabase.modifyRecords(saving: [root, share], deleting: [], atomically: true)
        let links = try [
            share.url, share.oneTimeURL(for: oneTime.participantID), share.oneTimeURL(for: other.participantID),
        ].map { try #require($0) }
        try await bob.accept(try await bob.shareMetadata(for: links[1]))
        let theirs = CKRecordZone.ID(zoneName: "Notes", ownerName: tenant.alice.userRecordName)
        let found = try await bob.sharedCloudDatabase.record(for: CKRecord.ID(recordName: "root", zoneID: theirs))
        #expect(found.encryptedValues["text"] == secret)
        found.encryptedValues["text"] = secret + secret
        try await bob.sharedCloudDatabase.save(found)
        let now = try #require(try await ada.privateCloudDatabase.record(for: share.recordID) as? CKShare)
        now.removeParticipant(try #require(now.participants.last { $0.acceptanceStatus == .pending }))
        try await ada.privateCloudDatabase.save(now)
        let own = try await ada.privateCloudDatabase.record(for: root.recordID)
        own.encryptedValues["text"] = secret
        try await ada.privateCloudDatabase.save(own)
        let again = try await bob.sharedCloudDatabase.record(for: found.recordID)
        #expect(again.encryptedValues["text"] == secret)
        let keys = await bob.source.connection.keyring.foreignKeys(
            of: Keyring.Zone(
                place: AccountPlace(container: tenant.container, user: tenant.alice.userRecordName), name: "Notes"))
        #expect(keys.count == 2, "of the beginning, and of the removal")

        cloud.server.terminate()
        _ = await cloud.server.ending
        var evidence = wire.bytes + Array(await cloud.server.log.utf8)
        let traffic = evidence.count
        for file in try SecrecyTests.files(in: cloud.directory.path) { evidence += [UInt8](try Data(contentsOf: file)) }
        #expect(Haystack(Array(evidence[..<traffic])).contains(Array(visible.utf8)))
        #expect(Haystack(Array(evidence[traffic...])).contains(Array(visible.utf8)))
        let haystack = Haystack(evidence)
        var needles: [(String, [UInt8])] = [
            ("value", Array(secret.utf8)), ("part of a value", Array("battery staple".utf8)),
        ]
        for link in links + [try #require(now.url)] {
            let received = try #require(ShareLinks.received(link))
            #expect(haystack.contains(Array(received.shortGUID.utf8)), "the rest of the link is there")
            needles.append(("link's secret", received.secret.bytes))
            needles.append(("link's secret", Array(received.secret.fragment.dropFirst(3).utf8)))
        }
        for key in keys.values {
            needles.append(("share key", key.secret))
            needles.append(("record key", key.recordKey("root")))
        }
        for store in stores {
            // How far shares have come is no secret.
            for name in store.names where !name.contains("/share-") {
                needles.append(("account key", try #require(store.secret(named: name))))
            }
        }
        #expect(needles.count >= 16)
        for (name, needle) in needles { #expect(!haystack.contains(needle), "a \(name) has leaked") }
    }
}
