import Foundation
import StratusCloudKit
import StratusCloudModel
import StratusTesting
import StratusUbiquity
import StratusWaiting
import Testing

@testable import StratusUbiquity

/// Stores of several devices and people, with a whole cloud in the test's process.
@Suite struct KeyValueSyncTests {
    private let directories = StoreDirectories()
    private let server = NSUbiquitousKeyValueStoreServerChange
    private let initial = NSUbiquitousKeyValueStoreInitialSyncChange
    private let quota = NSUbiquitousKeyValueStoreQuotaViolationChange
    private let account = NSUbiquitousKeyValueStoreAccountChange

    private func open(_ device: LocalCloud.Device, clock: ChangeClock = .system) -> StoreProcess {
        StoreProcess(device.container, directories(device.name), clock: clock)
    }

    @Test("a change appears on the other device, with its key, and nobody hears of their own") func change()
        async throws
    {
        let cloud = try await LocalCloud()
        let a = open(cloud.account("ada").device("a")), b = open(cloud.account("ada").device("b"))
        try await a.settle()
        try await b.settle()
        a.store.set("dark", forKey: "theme")
        a.store.set(Int64(7), forKey: "page")
        try await b.wait(for: ["theme", "page"], server)
        #expect(b.store.string(forKey: "theme") == "dark")
        #expect(b.store.longLong(forKey: "page") == 7)
        b.store.removeObject(forKey: "theme")
        try await a.wait(for: ["theme"], server)
        #expect(a.store.object(forKey: "theme") == nil)
        try await a.settle()
        try await b.settle()
        #expect(a.keys(server) == ["theme"] && b.keys(server) == ["theme", "page"])
        #expect(a.notices.allSatisfy { $0.reason == server } && b.notices.allSatisfy { $0.reason == server })
        #expect(try await cloud.account("ada").container.privateCloudDatabase.allRecordZones().count == 1)
    }

    @Test("the later change wins, whatever years the devices' clocks show", arguments: [(50, -30), (-30, 50)])
    func clocks(years: (a: Int64, b: Int64)) async throws {
        let cloud = try await LocalCloud()
        let devices = (a: cloud.account("ada").device("a"), b: cloud.account("ada").device("b"))
        let a = open(devices.a, clock: wrongClock(cloud, years: years.a, start: "a"))
        let b = open(devices.b, clock: wrongClock(cloud, years: years.b, start: "b"))
        try await a.settle()
        try await b.settle()
        devices.b.setAccountStatus(.temporarilyUnavailable)
        b.store.set("first, sent last", forKey: "older")
        #expect(b.store.synchronize())
        cloud.clock.advance(by: .seconds(3_600))
        a.store.set("second, sent first", forKey: "older")
        a.store.set("first, sent first", forKey: "newer")
        try await a.settle()
        cloud.clock.advance(by: .seconds(3_600))
        b.store.set("second, sent last", forKey: "newer")
        #expect(b.store.synchronize())
        devices.b.setAccountStatus(nil)
        try await b.wait(for: ["older"], server)
        try await a.wait(for: ["newer"], server)
        for process in [a, b] {
            #expect(process.store.string(forKey: "older") == "second, sent first")
            #expect(process.store.string(forKey: "newer") == "second, sent last")
        }
        #expect(!a.keys(server).contains("older") && !b.keys(server).contains("newer"))
    }

    @Test("without an account values are kept, and merged at sign-in: the server's win") func signIn() async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        let a = open(ada.device("a"))
        a.store.set("server", forKey: "both")
        a.store.set(1, forKey: "server only")
        try await a.settle()
        let device = ada.device("b")
        device.signOut()
        let b = open(device)
        b.store.set("local", forKey: "both")
        b.store.set(2, forKey: "local only")
        #expect(b.store.synchronize())
        #expect(b.store.string(forKey: "both") == "local")
        device.signIn(as: ada)
        try await b.wait(for: ["both", "server only"], initial)
        #expect(b.store.string(forKey: "both") == "server")
        #expect(b.store.longLong(forKey: "server only") == 1)
        #expect(b.store.longLong(forKey: "local only") == 2)
        try await a.wait(for: ["local only"], server)
        #expect(a.store.longLong(forKey: "local only") == 2)
        try await b.settle()
        #expect(b.keys(initial) == ["both", "server only"] && b.keys(server).isEmpty)
    }

    @Test("what has no room on the server is told with its key, and is as before") func quotaViolation() async throws {
        let cloud = try await LocalCloud()
        let devices = (a: cloud.account("ada").device("a"), b: cloud.account("ada").device("b"))
        let a = open(devices.a), b = open(devices.b)
        a.store.set("small", forKey: "second")
        try await a.settle()
        try await b.settle()
        try await StratusWaiting.wait(for: "the small value") { b.store.string(forKey: "second") == "small" }
        devices.b.setAccountStatus(.temporarilyUnavailable)
        let large = Data(repeating: 7, count: 600_000)
        b.store.set(large, forKey: "second")
        #expect(b.store.synchronize())
        a.store.set(large, forKey: "first")
        try await a.settle()
        devices.b.setAccountStatus(nil)
        try await b.wait(for: ["second"], quota)
        try await b.wait(for: ["first"], server)
        #expect(b.store.string(forKey: "second") == "small")
        #expect(b.store.data(forKey: "first") == large)
        #expect(b.keys(quota) == ["second"])
    }

    @Test("a value of the largest size gets to the other device") func largest() async throws {
        let cloud = try await LocalCloud()
        let a = open(cloud.account("ada").device("a")), b = open(cloud.account("ada").device("b"))
        let overhead = try #require(PropertyListValue.data(of: Data(repeating: 1, count: 500_000))).count - 500_000
        let value = Data(repeating: 7, count: KeyValueFormat.valueSize - overhead)
        a.store.set(value, forKey: String(repeating: "ü", count: 32))
        try await a.settle()
        try await StratusWaiting.wait(for: "the value") {
            b.store.data(forKey: String(repeating: "ü", count: 32)) == value
        }
        #expect(a.notices.isEmpty)
    }

    @Test("another account's values take the place of the former ones") func accounts() async throws {
        let cloud = try await LocalCloud()
        let (ada, bob) = (cloud.account("ada"), cloud.account("bob"))
        let bobs = open(bob.device("desk"))
        bobs.store.set("bob", forKey: "name")
        bobs.store.set("bob", forKey: "his")
        try await bobs.settle()
        let device = ada.device("shared")
        let process = open(device)
        process.store.set("ada", forKey: "name")
        process.store.set("ada", forKey: "hers")
        try await process.settle()
        device.signIn(as: bob)
        try await process.wait(for: ["name", "hers", "his"], account)
        try await process.settle()
        #expect(process.store.string(forKey: "name") == "bob" && process.store.string(forKey: "his") == "bob")
        #expect(process.store.object(forKey: "hers") == nil)
        #expect(process.notices.allSatisfy { $0.reason == account })
        device.signOut()
        try await StratusWaiting.wait(for: "the values to go") { process.store.dictionaryRepresentation.isEmpty }
        #expect(bobs.notices.isEmpty, "nothing of Ada's got to Bob")
        #expect(try await cloud.account("ada").container.privateCloudDatabase.allRecordZones().count == 1)
    }

    @Test("processes that share a store hear of each other, and one of them synchronizes") func processes()
        async throws
    {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        let one = open(ada.device("a")), two = open(ada.device("a")), other = open(ada.device("b"))
        try await one.settle()
        try await two.settle()
        two.store.set("two", forKey: "x")
        #expect(two.store.synchronize())
        try await one.wait(for: ["x"], server)
        try await other.wait(for: ["x"], server)
        #expect(one.store.string(forKey: "x") == "two")
        other.store.set("other", forKey: "y")
        try await one.wait(for: ["y"], server)
        try await two.wait(for: ["y"], server)
        try await two.settle()
        #expect(two.keys(server) == ["y"], "nothing of its own")
        // The one that synchronizes ends; the other goes on.
        await one.store.close()
        two.store.set("still", forKey: "z")
        try await other.wait(for: ["z"], server)
    }

    @Test("what is on the disk is sent by the next process") func crash() async throws {
        let cloud = try await LocalCloud()
        let device = cloud.account("ada").device("a")
        let first = open(device)
        try await first.settle()
        device.setAccountStatus(.temporarilyUnavailable)
        first.store.set("kept", forKey: "k")
        #expect(first.store.synchronize())
        await first.store.close()
        device.setAccountStatus(nil)
        let second = open(device)
        #expect(second.store.string(forKey: "k") == "kept")
        try await second.settle()
        let other = open(cloud.account("ada").device("b"))
        try await other.wait(for: ["k"], initial)
        #expect(other.store.string(forKey: "k") == "kept")
        #expect(second.notices.isEmpty)
    }

    @Test("after a restart of the machine with an earlier date, changes count as later ones") func restart()
        async throws
    {
        let device = try await LocalCloud().account("ada").device("a")
        device.signOut()
        func clock(_ date: Int64, _ start: String) -> ChangeClock {
            ChangeClock { ChangeStamp(date: date, uptime: 5_000, start: start) }
        }
        let first = open(device, clock: clock(2_000_000_000_000, "before"))
        first.store.set("old", forKey: "k")
        #expect(first.store.synchronize())
        await first.store.close()
        let second = open(device, clock: clock(1_000_000_000_000, "after"))
        second.store.set("new", forKey: "k")
        #expect(second.store.synchronize())
        #expect(second.store.string(forKey: "k") == "new")
    }

    @Test("values that are fetched while the disk is full are fetched again") func fullDiskWhileFetching()
        async throws
    {
        let cloud = try await LocalCloud()
        let a = open(cloud.account("ada").device("a")), b = open(cloud.account("ada").device("b"))
        try await a.settle()
        try await b.settle()
        let disk = FullDisk(directories("b"))
        a.store.set("fetched", forKey: "k")
        try await b.waitForEngineToEnd()
        #expect(b.store.object(forKey: "k") == nil)
        disk.empty()
        b.store.set(1, forKey: "other")
        try await b.wait(for: ["k"], server)
        #expect(b.store.string(forKey: "k") == "fetched")
        try await a.wait(for: ["other"], server)
    }

    @Test("if the disk is full while another account signs in, it gets nothing of the former one")
    func fullDiskAtASwitch() async throws {
        let cloud = try await LocalCloud()
        let (ada, bob) = (cloud.account("ada"), cloud.account("bob"))
        let device = ada.device("shared")
        let process = open(device)
        try await process.settle()
        device.setAccountStatus(.temporarilyUnavailable)
        process.store.set("ada", forKey: "hers")
        #expect(process.store.synchronize())
        let disk = FullDisk(directories("shared"))
        device.setAccountStatus(nil)
        device.signIn(as: bob)
        try await process.waitForEngineToEnd()
        disk.empty()
        process.store.set("ada, too", forKey: "hers")
        try await process.wait(for: ["hers"], account)
        process.store.set("bob", forKey: "his")
        try await process.settle()
        let zoneID = CKRecordZone.ID(zoneName: "_keyValueStore")
        let records = try await bob.container.privateCloudDatabase.recordZoneChanges(inZoneWith: zoneID, since: nil)
        #expect(records.modificationResultsByID.count == 1 && process.store.object(forKey: "hers") == nil)
    }

    @Test("each identifier has a store of its own") func identifiers() async throws {
        let cloud = try await LocalCloud()
        let device = cloud.account("ada").device("a")
        let plain = open(device)
        let named = StoreProcess(device.container, directories("named"), identifier: "org.example.suite")
        plain.store.set(1, forKey: "k")
        named.store.set(2, forKey: "k")
        try await plain.settle()
        try await named.settle()
        let there = StoreProcess(
            cloud.account("ada").device("b").container, directories("there"), identifier: "org.example.suite")
        try await there.wait(for: ["k"], initial)
        #expect(there.store.longLong(forKey: "k") == 2 && plain.store.longLong(forKey: "k") == 1)
        let nameless = StoreProcess(device.container, directories("x"), identifier: "no identifier/..")
        nameless.store.set(3, forKey: "k")
        #expect(!nameless.store.synchronize() && nameless.store.longLong(forKey: "k") == 3)
    }

    @Test("apps that use the private database see nothing of it") func hidden() async throws {
        let cloud = try await LocalCloud()
        let device = cloud.account("ada").device("a")
        let process = open(device)
        process.store.set(1, forKey: "k")
        try await process.settle()
        let database = device.container.privateCloudDatabase
        #expect(try await database.allRecordZones().map(\.zoneID) == [.default])
        let page = try await database.databaseChanges(since: nil)
        #expect(page.modifications.isEmpty && page.deletions.isEmpty)
        let zoneID = CKRecordZone.ID(zoneName: "_keyValueStore")
        let records = try await database.recordZoneChanges(inZoneWith: zoneID, since: nil)
        #expect(records.modificationResultsByID.count == 1, "who names it sees it")
    }

    @Test("if the server does not know how far a device got, all keys are listed, and those that are gone go")
    func expiredToken() async throws {
        let cloud = try await LocalCloud()
        let a = open(cloud.account("ada").device("a")), b = open(cloud.account("ada").device("b"))
        a.store.set(1, forKey: "stays")
        a.store.set(1, forKey: "goes")
        try await a.settle()
        try await b.settle()
        try await StratusWaiting.wait(for: "both values") { b.store.dictionaryRepresentation.count == 2 }
        cloud.expireChangeTokens()
        a.store.removeObject(forKey: "goes")
        a.store.set(2, forKey: "new")
        try await a.settle()
        try await StratusWaiting.wait(for: "the new values") {
            b.store.longLong(forKey: "new") == 2 && b.store.object(forKey: "goes") == nil
        }
        #expect(b.store.longLong(forKey: "stays") == 1)
        #expect(b.notices.allSatisfy { [server, initial].contains($0.reason) })
    }
}
