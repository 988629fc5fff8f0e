import CloudKit
import CoreData
import StratusCoreDataMirroring
import StratusMirrorEvents
import StratusTestSupport
import StratusTesting
import Testing

/// Accounts that change while objects are being shared.
@Suite struct AccountSharingTests {
    private let cloud: LocalCloud
    private let ada: LocalCloud.Account
    private let bob: LocalCloud.Account
    private let device: LocalCloud.Device
    private let controls = MirroringControls()
    private let phone: MirroredDevice

    init() async throws {
        cloud = try await LocalCloud()
        (ada, bob) = (cloud.account("ada"), cloud.account("bob"))
        device = ada.device("phone")
        phone = try MirroredDevice(device, in: TemporaryDirectory(inMemory: true), controls: controls)
        await phone.container.waitUntilMirrored()
        try await phone.save { context in
            let note = context.insert("Note", ["title": "Milk"])
            note.setValue(context.insert("Folder", ["name": "Shopping"]), forKey: "folder")
        }
        await phone.container.synchronizeMirrors()
    }

    private func sharedZones(of account: LocalCloud.Account) async throws -> [CKRecordZone.ID] {
        try await cloud.zones(of: account).filter { $0.zoneName.hasPrefix("com.apple.coredata.cloudkit.share.") }
    }

    /// Shares the note, and does something at a moment of that.
    private func share(at moment: String, _ body: @escaping @Sendable () async -> Void) async throws -> Int? {
        let note = try await phone.objectID("Milk")
        controls.setCheckpoint { if $0 == moment { await body() } }
        defer { controls.setCheckpoint(nil) }
        let error = await #expect(throws: CocoaError.self) { try await phone.share([note], to: nil) }
        return error?.code.rawValue
    }

    private static let moments = ["share begins", "share has zone", "share saved", "objects moved"]

    @Test(arguments: moments, [true, false])
    func noHalfOfAShareStays(moment: String, isSwitch: Bool) async throws {
        let code = try await share(at: moment) { [device, bob] in
            if isSwitch { device.signIn(as: bob) } else { device.signOut() }
        }
        #expect(code == (isSwitch ? 134_405 : 134_400))
        await phone.container.synchronizeMirrors()
        #expect(try await phone.read { try $0.titles() }.isEmpty)
        #expect(try await sharedZones(of: bob).isEmpty)
        device.signIn(as: ada)
        await phone.container.synchronizeMirrors()
        let folder = try await phone.read { context in
            (try context.note("Milk")?.value(forKey: "folder") as? NSManagedObject)?.value(forKey: "name") as? String
        }
        #expect(folder == "Shopping")
        #expect(try await sharedZones(of: ada).isEmpty)
        #expect(try phone.container.fetchShares(in: nil).isEmpty)
        let (moved, share, _) = try await phone.share([phone.objectID("Milk")], to: nil)
        #expect(moved.count == 2)
        #expect(try await sharedZones(of: ada) == [share.recordID.zoneID])
    }

    @Test func anUnfinishedShareIsDeletedAfterRestarts() async throws {
        let code = try await share(at: "share saved") { [device, bob] in device.signIn(as: bob) }
        #expect(code == 134_405)
        #expect(try await sharedZones(of: ada).count == 1)
        var app = try phone.restarted(controls: controls)
        await app.container.synchronizeMirrors()
        #expect(try await app.read { try $0.titles() }.isEmpty)
        try app.quit()
        device.signIn(as: ada)
        app = try app.restarted(hasQuit: true, controls: controls)
        await app.container.synchronizeMirrors()
        #expect(try await app.read { try $0.titles() } == ["Milk"])
        #expect(try await sharedZones(of: ada).isEmpty)
    }

    @Test func aZoneThatAnotherDeviceUsesStays() async throws {
        let laptop = try MirroredDevice(ada.device("laptop"))
        try await laptop.save { _ = $0.insert("Note", ["title": "Bread"]) }
        let code = try await share(at: "share saved") { [device, bob, laptop] in
            do {
                try await laptop.container.wait(for: "the share") { _ in
                    try !laptop.container.fetchShares(in: nil).isEmpty
                }
                let share = try #require(try laptop.container.fetchShares(in: nil).first)
                let (moved, _, _) = try await laptop.share([laptop.objectID("Bread")], to: share)
                #expect(moved.count == 1)
            } catch {
                Issue.record(error)
            }
            device.signIn(as: bob)
        }
        #expect(code == 134_405)
        await phone.container.synchronizeMirrors()
        device.signIn(as: ada)
        await phone.container.synchronizeMirrors()
        let zoneID = try #require(try await sharedZones(of: ada).first)
        let records = try await cloud.records(in: zoneID, of: ada)
        #expect(records.compactMap { $0["CD_title"] as? String } == ["Bread"])
        #expect(try await phone.read { try $0.titles() } == ["Bread", "Milk"])
        let bread = try await phone.objectID("Bread")
        #expect(try phone.container.fetchShares(matching: [bread])[bread]?.recordID.zoneID == zoneID)
    }
}
