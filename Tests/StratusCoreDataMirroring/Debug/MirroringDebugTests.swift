import CloudKit
import CoreData
import Foundation
import StratusTesting
import Testing

@testable import StratusCoreDataMirroring

/// The lines that mirrors write for whoever looks for a fault, in processes of their own.
@Suite struct MirroringDebugTests {
    /// Lets a note go from one device to another, where it was changed meanwhile, and somebody sign out.
    private static func exchange() async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        let (phone, laptop) = (try MirroredDevice(ada.device("phone")), try MirroredDevice(ada.device("laptop")))
        try await phone.save { _ = $0.insert("Note", ["title": "Milk", "text": "a secret"]) }
        try await laptop.wait(for: "the note") { try $0.note("Milk") != nil }
        let outage = cloud.faults.inject(.offline, device: "laptop", times: nil)
        try await laptop.save { try $0.note("Milk")?.setValue(Int64(3), forKey: "pages") }
        try await phone.save { try $0.note("Milk")?.setValue("Bread", forKey: "title") }
        try await phone.waitForRecords("the export of the title", in: cloud, of: ada) { records in
            records.contains { $0["CD_title"] as? String == "Bread" }
        }
        outage.remove()
        cloud.clock.advance(by: .seconds(3_600))
        try await phone.wait(for: "the pages") { try $0.note("Bread")?.value(forKey: "pages") as? Int64 == 3 }
        laptop.device.signOut()
        _ = try await laptop.wait(forEvent: "the end") { $0.type == .setup && !$0.succeeded }
    }

    private static func lines(_ result: ExitTest.Result?) throws -> [String] {
        let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        return output.split(separator: "\n").map(String.init)
            .filter { $0.contains("[com.apple.coredata:cloudkit] notes.sqlite: ") }
    }

    @Test func nothingIsWrittenUnlessAskedFor() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            try await Self.exchange()
        }
        #expect(try Self.lines(result).isEmpty)
    }

    @Test func theFirstLevelHasEvents() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            UserDefaults.standard.register(defaults: ["com.apple.CoreData.CloudKitDebug": 1])
            try await Self.exchange()
        }
        let lines = try Self.lines(result)
        for text in ["setup began", "setup ended after", "import ended after", "export began", "export ended after"] {
            #expect(lines.contains { $0.contains(text) }, "\(text)")
        }
        #expect(lines.contains { $0.contains("setup failed after") && $0.contains("NSCocoaErrorDomain 134400") })
        #expect(!lines.contains { $0.contains("CD_Note") })
    }

    @Test func theSecondLevelHasBatchesPagesAndConflicts() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            setenv("STRATUS_MIRRORING_DEBUG", "2", 1)
            try await Self.exchange()
        }
        let lines = try Self.lines(result)
        for text in [
            "is mirrored in the private database of", "setup began", "sends 1 record and 0 deletions: CD_Note ",
            "the cloud saved 1 record and deleted 0: CD_Note ", "fetched a page of 1 record and 0 deletions: CD_Note ",
            "takes title of the cloud, and keeps what was changed here", "saved zone com.apple.coredata.cloudkit.zone",
            "has signed out", "noted the changes of 1 save",
        ] {
            #expect(lines.contains { $0.contains(text) }, "\(text)")
        }
        #expect(!lines.contains { $0.contains("CD_title") })
    }

    /// Lets one person share a note with another one, and end that.
    private static func share() async throws {
        let cloud = try await LocalCloud()
        let ada = try MirroredDevice(cloud.account("ada").device("phone"))
        let bob = try MirroredDevice(cloud.account("bob").device("phone"), [.shared])
        try await ada.save { _ = $0.insert("Note", ["title": "Milk"]) }
        let milk = try await ada.objectID("Milk")
        let (_, share, _) = try await ada.share([milk], to: nil)
        share.publicPermission = .readOnly
        share[CKShare.SystemFieldKey.title] = "a secret"
        let saved = try await ada.container.persistUpdatedShare(share, in: ada.store(.private))
        let metadata = try await bob.device.container.shareMetadata(for: try #require(saved.url))
        try await bob.container.acceptShareInvitations(from: [metadata], into: bob.store(.shared))
        await #expect(throws: CocoaError.self) { try await ada.share([milk], to: nil) }
        try await ada.container.purgeObjectsAndRecordsInZone(with: saved.recordID.zoneID, in: nil)
    }

    @Test func sharingIsWritten() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            setenv("STRATUS_MIRRORING_DEBUG", "2", 1)
            try await Self.share()
        }
        let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        let zone = "zone com.apple.coredata.cloudkit.share."
        for text in [
            "notes.sqlite: begins to share 1 object in a new zone", "notes.sqlite: moves to \(zone)",
            "notes.sqlite: has ended to share 1 object in a new zone: 1 object moved",
            "notes.sqlite: has ended to save the share of \(zone)",
            "shared.sqlite: begins to accept 1 share", "shared.sqlite: accepted the share of \(zone)",
            "shared.sqlite: has ended to accept 1 share",
            "notes.sqlite: failed to share 1 object in a new zone: NSCocoaErrorDomain 134060",
            "notes.sqlite: has ended to purge \(zone)",
        ] {
            #expect(output.contains(text), "\(text)")
        }
        #expect(output.contains(": Note/1\n"), "the moved object")
        for value in ["Milk", "secret"] { #expect(!output.contains(value)) }
    }

    @Test func theThirdLevelHasFieldsButNoValues() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            setenv("STRATUS_MIRRORING_DEBUG", "3", 1)
            try await Self.exchange()
        }
        let lines = try Self.lines(result)
        #expect(lines.contains { $0.contains("of Note/1 with the changed fields CD_entityName, CD_text, CD_title") })
        #expect(lines.contains { $0.contains("of Note/1 with the changed fields CD_title") })
        #expect(lines.contains { $0.contains("fetched CD_Note ") && $0.contains("with the fields CD_") })
        for value in ["Milk", "secret", "Bread"] { #expect(!lines.contains { $0.contains(value) }) }
    }

    private static let levels: [(Int, String?, MirroringDebug.Level?)] = [
        (0, nil, nil), (1, nil, .events), (3, "1", .records), (0, "2", .batches), (0, "x", nil), (0, "-1", nil),
        (4, nil, .records),
    ]

    @Test(arguments: levels)
    func theGreaterLevelCounts(number: Int, variable: String?, level: MirroringDebug.Level?) {
        #expect(MirroringDebug.level(default: number, variable: variable) == level)
    }
}
