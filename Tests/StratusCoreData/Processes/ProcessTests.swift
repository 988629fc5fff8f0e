import Foundation
import StratusCoreData
import StratusSeeds
import StratusStoreWriting
import Testing

/// Stores that several processes have open.
@Suite(.serialized) struct ProcessTests {
    /// CI runs more rounds.
    private static let kills =
        ProcessInfo.processInfo.environment["STRATUS_KILL_ROUNDS"].flatMap(Int.init).map { max(10, $0) } ?? 60

    /// A process that saves is killed at random moments. A save is in the store as a whole, with its history, or not at
    /// all; one that was reported is in the store.
    @Test func aKilledProcessLeavesWholeSaves() throws {
        let shared = try WrittenStore()
        var random = SeededRandom(seed: Seed.draw())
        var reported: Set<String> = []
        for round in 0..<Self.kills {
            let writer = try shared.writer("batches", "\(round)")
            writer.wait(forBytes: 1 + random.below(40))
            reported.formUnion(try writer.kill())
            guard round % 10 == 9 else { continue }
            let store = try SharedStore(shared.path)
            let names = try store.context.performAndWait { () throws in
                let lists = try store.all("List")
                #expect(lists.allSatisfy(SharedBatch.isWhole), "\(random), round \(round)")
                #expect(try store.all("Item").count == lists.count * SharedBatch.items, "\(random), round \(round)")
                return lists.compactMap { $0.value(forKey: "name") as? String }
            }
            #expect(reported.isSubset(of: names), "\(random), round \(round)")
            let authors = try store.history().map(\.author)
            #expect(authors.count == names.count && Set(authors.compactMap { $0 }) == Set(names), "round \(round)")
            for store in store.coordinator.persistentStores { try store.persistentStoreCoordinator?.remove(store) }
        }
        #expect(reported.count >= Self.kills)
    }

    /// Two processes save random changes. The store then holds what a simple model holds after the same changes in the
    /// order of the history.
    @Test func twoProcessesSaveWhatTheModelSays() throws {
        let shared = try WrittenStore()
        let seed = Seed.draw()
        let store = try SharedStore(shared.path)
        let first = SharedOperation.commonItems.map { SharedOperation.insert(item: $0, list: SharedOperation.lists[0]) }
        try store.context.performAndWait { () throws in
            for list in SharedOperation.lists { _ = store.insert("List", ["name": list]) }
            for operation in first { try operation.apply(to: store) }
            try store.context.save()
            store.context.reset()
        }
        let writers = try ["first", "second"].enumerated().map { index, name in
            try shared.writer("random", name, "\(seed &+ UInt64(index))")
        }
        var saves: [String: [SharedOperation]] = [:]
        for line in try writers.flatMap({ try $0.finish() }) {
            let parts = line.split(separator: ":")
            saves[String(parts[0])] = parts[1].split(separator: ";").compactMap { SharedOperation($0) }
        }
        var model = SharedModel(first)
        for transaction in try store.history() {
            guard let author = transaction.author else { continue }
            let operations = saves.removeValue(forKey: author)
            model.apply(try #require(operations, "seed \(seed): a save without a report"))
        }
        // Nothing is written if the other process has moved the same items to the same lists.
        for case .insert in saves.values.joined() { Issue.record("seed \(seed): an insertion without a transaction") }
        for case .set in saves.values.joined() { Issue.record("seed \(seed): a change without a transaction") }
        for case .delete in saves.values.joined() { Issue.record("seed \(seed): a deletion without a transaction") }
        try store.context.performAndWait { () throws in
            #expect(SharedModel(try store.all("Item")) == model, "seed \(seed)")
            for list in try store.all("List") {
                let members = list.value(forKey: "items") as? Set<NSManagedObject> ?? []
                let name = list.value(forKey: "name") as? String ?? ""
                #expect(
                    Set(members.compactMap { $0.value(forKey: "number") as? Int }) == model.items(of: name),
                    "seed \(seed)")
            }
        }
    }

    @Test func otherProcessesAreNotifiedOfSaves() async throws {
        let shared = try WrittenStore()
        let store = try SharedStore(shared.path)
        let token = store.coordinator.currentPersistentHistoryToken(fromStores: nil)
        let (changes, continuation) = AsyncStream<(String, URL?, NSPersistentHistoryToken?)>.makeStream()
        let observer = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: store.coordinator, queue: nil
        ) { notification in
            let userInfo = notification.userInfo ?? [:]
            continuation.yield(
                (
                    userInfo[NSStoreUUIDKey] as? String ?? "", userInfo[NSPersistentStoreURLKey] as? URL,
                    userInfo[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken
                ))
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        for name in ["one", "two", "three"] {
            _ = try shared.writer("once", name).finish()
            for await (id, url, newest) in changes where newest != token {
                #expect(id == store.coordinator.persistentStores[0].identifier && url?.path == shared.path)
                guard try store.history().last?.author == name else { continue }
                break
            }
        }
        try store.context.performAndWait { () throws in #expect(try store.all("List").count == 3) }
    }
}

/// The items of a shared store: the simple model.
private struct SharedModel: Equatable {
    struct Item: Equatable {
        var value = 0
        var list: String
    }

    private var items: [Int: Item] = [:]

    init(_ operations: [SharedOperation]) { apply(operations) }

    init(_ objects: [NSManagedObject]) {
        for object in objects {
            let list = object.value(forKey: "list") as? NSManagedObject
            items[object.value(forKey: "number") as? Int ?? -1] = Item(
                value: object.value(forKey: "value") as? Int ?? -1,
                list: list?.value(forKey: "name") as? String ?? "")
        }
    }

    mutating func apply(_ operations: [SharedOperation]) {
        for operation in operations {
            switch operation {
            case .insert(let item, let list): items[item] = Item(list: list)
            case .set(let item, let value): items[item]?.value = value
            case .move(let item, let list): items[item]?.list = list
            case .delete(let item): items[item] = nil
            }
        }
    }

    func items(of list: String) -> Set<Int> { Set(items.filter { $0.value.list == list }.keys) }
}
