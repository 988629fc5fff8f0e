import CloudKit
import Foundation
import StratusTesting
import StratusUbiquity
import StratusWaiting
import StratusWorkers
import Testing

/// "Introduction to iCloud", the part on key-value storage.
@Suite struct KeyValueStorageTests {
    /// A device, as the document's sample uses it: a value of its own, and one that all devices edit.
    private final class Sample: Sendable {
        let store: NSUbiquitousKeyValueStore
        let device: String
        /// Keeps the cloud.
        let place: LocalCloud.Device
        private let log = Lock<[(reason: Int, keys: [String])]>([])

        init(_ device: LocalCloud.Device, _ directory: URL, clock: ChangeClock = .system) {
            self.device = device.name
            place = device
            store = NSUbiquitousKeyValueStore(
                container: device.container, directory: directory.appendingPathComponent(device.name).path,
                clock: clock)
            _ = NotificationCenter.default.addObserver(
                forName: NSUbiquitousKeyValueStore.didChangeExternallyNotification, object: store, queue: nil
            ) { [weak self] notification in
                let reason = notification.userInfo?[NSUbiquitousKeyValueStoreChangeReasonKey] as? NSNumber
                let keys = notification.userInfo?[NSUbiquitousKeyValueStoreChangedKeysKey] as? [String]
                self?.log.withLock { $0.append((reason?.intValue ?? -1, keys ?? [])) }
            }
        }

        /// Keys of the notifications so far, by reason.
        func keys(_ reason: Int) -> Set<String> {
            Set(log.withLock { $0 }.filter { $0.reason == reason }.flatMap(\.keys))
        }

        func shows(_ text: String?, _ key: String) async throws {
            try await wait(for: "\(device) to show \(text ?? "nothing") for \(key)") {
                self.store.string(forKey: key) == text
            }
        }
    }

    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

    private func devices(_ cloud: LocalCloud) -> (phone: Sample, tablet: Sample) {
        let ada = cloud.account("ada")
        return (Sample(ada.device("phone"), directory), Sample(ada.device("tablet"), directory))
    }

    private func removeDirectory() { try? FileManager.default.removeItem(at: directory) }

    @Test("key names cannot be longer than 64 bytes") func keyNames() async throws {
        defer { removeDirectory() }
        let phone = devices(try await LocalCloud()).phone
        let key = String(repeating: "k", count: 64)
        phone.store.set("fits", forKey: key)
        phone.store.set("does not", forKey: key + "k")
        #expect(Array(phone.store.dictionaryRepresentation.keys) == [key])
    }

    @Test("setting a key beyond the limit of the store fails, and the previous value persists") func limit()
        async throws
    {
        defer { removeDirectory() }
        let phone = devices(try await LocalCloud()).phone
        phone.store.set("previous", forKey: "picture")
        phone.store.set(Data(count: 1_048_577), forKey: "picture")
        #expect(phone.store.string(forKey: "picture") == "previous")
        let quota = NSUbiquitousKeyValueStoreQuotaViolationChange
        try await wait(for: "the reason") { phone.keys(quota) == ["picture"] }
    }

    @Test("strings, numbers and truth values can be stored, and are read from the local store at once") func types()
        async throws
    {
        defer { removeDirectory() }
        let cloud = try await LocalCloud()
        cloud.faults.inject(.error(.networkUnavailable), times: 1_000)
        let phone = devices(cloud).phone
        phone.store.set("VALUE IN THE CLOUD", forKey: "testkey")
        phone.store.set(Int64(7), forKey: "page")
        phone.store.set(0.5, forKey: "volume")
        phone.store.set(true, forKey: "muted")
        // Only to the disk: there is no network.
        #expect(phone.store.synchronize())
        #expect(phone.store.string(forKey: "testkey") == "VALUE IN THE CLOUD")
        #expect(phone.store.longLong(forKey: "page") == 7)
        #expect(phone.store.double(forKey: "volume") == 0.5)
        #expect(phone.store.bool(forKey: "muted"))
    }

    @Test("a value set on one device is propagated to the others, with the changed keys") func propagation()
        async throws
    {
        defer { removeDirectory() }
        let (phone, tablet) = devices(try await LocalCloud())
        phone.store.set("of the phone", forKey: phone.device)
        tablet.store.set("of the tablet", forKey: tablet.device)
        try await tablet.shows("of the phone", "phone")
        try await phone.shows("of the tablet", "tablet")
        try await wait(for: "the log of the phone") {
            (0...1).contains { phone.keys($0).contains("tablet") }
        }
        #expect(!(0...3).contains { phone.keys($0).contains("phone") }, "nothing of its own")
    }

    @Test("a removed key is removed everywhere") func removal() async throws {
        defer { removeDirectory() }
        let (phone, tablet) = devices(try await LocalCloud())
        phone.store.set("x", forKey: "testkey")
        try await tablet.shows("x", "testkey")
        phone.store.removeObject(forKey: "testkey")
        #expect(phone.store.synchronize())
        try await tablet.shows(nil, "testkey")
    }

    @Test("if many devices edit one key, the time of the change decides which value wins") func shared() async throws {
        defer { removeDirectory() }
        let cloud = try await LocalCloud()
        let (phone, tablet) = devices(cloud)
        for (sample, text) in [(phone, "one"), (tablet, "two"), (phone, "three")] {
            sample.store.set(text, forKey: "Shared")
            #expect(sample.store.synchronize())
            try await phone.shows(text, "Shared")
            try await tablet.shows(text, "Shared")
        }
    }

    @Test(
        "of changes that two devices make without a network, the later one wins, whichever is sent first",
        arguments: [true, false])
    func sharedApart(isLaterSentFirst: Bool) async throws {
        defer { removeDirectory() }
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        let clock = ChangeClock { [clock = cloud.clock] in
            let seconds = clock.now.elapsed.components.seconds
            return ChangeStamp(date: 0, uptime: 1_000 * seconds, start: "the cloud's")
        }
        let (earlier, later) = (
            Sample(ada.device("phone"), directory, clock: clock), Sample(ada.device("tablet"), directory, clock: clock)
        )
        let observer = Sample(ada.device("desktop"), directory, clock: clock)
        earlier.store.set("first", forKey: "Shared")
        for sample in [later, observer] { try await sample.shows("first", "Shared") }
        for sample in [earlier, later] {
            sample.place.setAccountStatus(.temporarilyUnavailable)
            cloud.clock.advance(by: .seconds(60))
            sample.store.set(sample.device, forKey: "Shared")
            #expect(sample.store.synchronize())
        }
        cloud.clock.advance(by: .seconds(60))
        for sample in isLaterSentFirst ? [later, earlier] : [earlier, later] {
            sample.place.setAccountStatus(nil)
            sample.store.set("sent", forKey: sample.device)
            try await observer.shows("sent", sample.device)
        }
        for sample in [earlier, later, observer] { try await sample.shows("tablet", "Shared") }
    }

    @Test("the reasons of changes are the numbers that the document gives") func reasons() {
        #expect(NSUbiquitousKeyValueStoreServerChange == 0)
        #expect(NSUbiquitousKeyValueStoreInitialSyncChange == 1)
        #expect(NSUbiquitousKeyValueStoreQuotaViolationChange == 2)
        // Newer than the document.
        #expect(NSUbiquitousKeyValueStoreAccountChange == 3)
    }

    @Test("without a network a change waits, and arrives when the network is back") func offline() async throws {
        defer { removeDirectory() }
        let cloud = try await LocalCloud()
        let (phone, tablet) = devices(cloud)
        phone.store.set("first", forKey: "Shared")
        try await tablet.shows("first", "Shared")
        let outage = cloud.faults.inject(.error(.networkUnavailable), device: "phone", times: nil)
        phone.store.set("second", forKey: "Shared")
        #expect(phone.store.synchronize())
        tablet.store.set("meanwhile", forKey: "other")
        try await phone.shows("second", "Shared")
        #expect(tablet.store.string(forKey: "Shared") == "first")
        outage.remove()
        try await tablet.shows("second", "Shared")
        try await phone.shows("meanwhile", "other")
    }
}
