import CloudKit
import StratusUbiquity
import StratusWorkers

/// The key-value store from one device to another.
extension SyncMeasure {
    /// From a key set on one device to the notification on another.
    func keyValueDelay(_ server: Stratus) throws -> [Finding] {
        Progress.say("sync: \(Self.edits) keys from one device to another")
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("stratus-bench-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        func store(_ name: String) throws -> NSUbiquitousKeyValueStore {
            let container = CKContainer(
                identifier: StratusData.container, transport: try HTTPCloudTransport(to: server, clientID: name),
                keyStore: MemoryKeyStore())
            return NSUbiquitousKeyValueStore(
                container: container, directory: folder.appendingPathComponent(name).path)
        }
        let (here, there) = (try store("here"), try store("there"))
        let (moments, continuation) = AsyncStream<Void>.makeStream()
        let observer = NotificationCenter.default.addObserver(
            forName: NSUbiquitousKeyValueStore.didChangeExternallyNotification, object: there, queue: nil
        ) { _ in continuation.yield() }
        defer { NotificationCenter.default.removeObserver(observer) }
        let delays = try waiting {
            var iterator = moments.makeAsyncIterator()
            var delays: [Double] = []
            // The first waits for both devices' first download.
            for number in 0...Self.edits {
                let start = Clock.now()
                here.set(Int64(number), forKey: "number")
                await iterator.next()
                if number > 0 { delays.append(Clock.seconds(since: start) * 1_000) }
            }
            await here.close()
            await there.close()
            return delays.sorted()
        }
        let median = delays[delays.count / 2]
        var finding = Finding("sync", "key set here to notification there", median, "ms")
        (finding.p50, finding.p99) = (median, delays[delays.count * 99 / 100])
        finding.note = "100 ms until it is on the disk and 250 ms that changes are gathered are part of it"
        return [finding.judged("p99 < 1 s", (finding.p99 ?? .infinity) < 1_000)]
    }
}
