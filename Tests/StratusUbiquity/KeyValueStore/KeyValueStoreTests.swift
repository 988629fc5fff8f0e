import Foundation
import StratusCloudKit
import StratusCloudModel
import StratusTesting
import StratusUbiquity
import Testing

@testable import StratusUbiquity

/// A store on a device that nobody has signed in to.
@Suite struct KeyValueStoreTests {
    private let directories = StoreDirectories()
    private let quota = NSUbiquitousKeyValueStoreQuotaViolationChange

    private func process(_ name: String = "a") async throws -> StoreProcess {
        let device = try await LocalCloud().account("ada").device()
        device.signOut()
        return StoreProcess(device.container, directories(name))
    }

    @Test("values of all types come back as they are, also from the disk") func types() async throws {
        let first = try await process()
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        let store = first.store
        store.set("text", forKey: "string")
        store.set(Data([1, 2]), forKey: "data")
        store.set(Int64.min, forKey: "int64")
        store.set(0.1, forKey: "double")
        store.set(true, forKey: "bool")
        store.set(date, forKey: "date")
        store.set(["a", 1, ["b": false]] as [Any], forKey: "array")
        store.set(["k": [1.5], "d": date] as [String: Any], forKey: "dictionary")
        store.set(7, forKey: "int")
        #expect(store.synchronize())
        for store in [store, try await process().store] {
            #expect(store.string(forKey: "string") == "text" && store.object(forKey: "string") as? String == "text")
            #expect(store.data(forKey: "data") == Data([1, 2]))
            #expect(store.longLong(forKey: "int64") == .min)
            #expect(store.double(forKey: "double") == 0.1)
            #expect(store.bool(forKey: "bool") && store.object(forKey: "bool") as? Bool == true)
            #expect(store.object(forKey: "date") as? Date == date)
            let array = try #require(store.array(forKey: "array"))
            #expect(array[0] as? String == "a" && array[1] as? Int == 1)
            #expect((array[2] as? [String: Any])?["b"] as? Bool == false)
            let dictionary = try #require(store.dictionary(forKey: "dictionary"))
            #expect((dictionary["k"] as? [Double]) == [1.5] && dictionary["d"] as? Date == date)
            #expect(store.longLong(forKey: "int") == 7 && store.object(forKey: "int") as? NSNumber == 7)
            #expect(store.dictionaryRepresentation.count == 9)
        }
    }

    @Test("what is absent, or of another type, is nil, 0 or false; nil removes") func absent() async throws {
        let store = try await process().store
        store.set("5", forKey: "text")
        #expect(store.object(forKey: "none") == nil && store.string(forKey: "none") == nil)
        #expect(store.longLong(forKey: "none") == 0 && store.double(forKey: "none") == 0 && !store.bool(forKey: "none"))
        #expect(store.longLong(forKey: "text") == 0 && store.data(forKey: "text") == nil)
        #expect(store.array(forKey: "text") == nil && store.dictionary(forKey: "text") == nil)
        store.set(nil as String?, forKey: "text")
        #expect(store.object(forKey: "text") == nil && store.dictionaryRepresentation.isEmpty)
        store.set(1.5, forKey: "n")
        store.set(nil as Any?, forKey: "n")
        store.removeObject(forKey: "never there")
        #expect(store.dictionaryRepresentation.isEmpty && store.synchronize())
    }

    @Test("a key has at most 64 bytes; a longer one is refused and told") func keys() async throws {
        let process = try await process()
        let longest = String(repeating: "ü", count: 32)
        process.store.set(1, forKey: longest)
        process.store.set(1, forKey: longest + "x")
        process.store.set(1, forKey: "")
        #expect(process.store.dictionaryRepresentation.keys.sorted() == [longest])
        try await process.wait(for: [longest + "x"], quota)
        #expect(process.keys(quota) == [longest + "x"])
    }

    @Test("what is no property list is refused, and the former value stays") func noPropertyLists() async throws {
        struct Point { var x = 1 }
        let store = try await process().store
        store.set("old", forKey: "k")
        for value in [Point(), NSNull(), [NSNull()], ["a": Point()], [1: "a"], URL(fileURLWithPath: "/")] as [Any] {
            store.set(value, forKey: "k")
        }
        var deep: Any = "x"
        for _ in 0..<PropertyListValue.depth + 1 { deep = [deep] }
        store.set(deep, forKey: "k")
        #expect(store.string(forKey: "k") == "old")
    }

    @Test("a store has at most 1,024 keys") func count() async throws {
        let process = try await process()
        for number in 0..<KeyValueFormat.keysPerStore { process.store.set(number, forKey: "key\(number)") }
        #expect(process.store.synchronize() && process.notices.isEmpty)
        process.store.set(1, forKey: "one more")
        try await process.wait(for: ["one more"], quota)
        #expect(process.store.object(forKey: "one more") == nil)
        process.store.set(-1, forKey: "key0")
        process.store.removeObject(forKey: "key1")
        process.store.set(1, forKey: "instead")
        #expect(process.store.longLong(forKey: "key0") == -1 && process.store.longLong(forKey: "instead") == 1)
        #expect(process.keys(quota) == ["one more"])
    }

    @Test("all values have at most 1 MiB together, and so has one") func size() async throws {
        let process = try await process()
        let overhead = try #require(PropertyListValue.data(of: Data(repeating: 1, count: 500_000))).count - 500_000
        let room = KeyValueFormat.storeSize - overhead
        process.store.set(Data(repeating: 1, count: room + 1), forKey: "a")
        try await process.wait(for: ["a"], quota)
        #expect(process.store.object(forKey: "a") == nil)
        process.store.set(Data(repeating: 1, count: room), forKey: "a")
        #expect(process.store.data(forKey: "a")?.count == room)
        process.store.set(1, forKey: "b")
        try await process.wait(for: ["b"], quota)
        process.store.set("shorter", forKey: "a")
        process.store.set(1, forKey: "b")
        #expect(process.store.string(forKey: "a") == "shorter" && process.store.longLong(forKey: "b") == 1)
        #expect(process.store.synchronize())
    }

    @Test("a disk that cannot be written is told, and memory keeps what was set") func disk() async throws {
        let directory = directories("full")
        try FileManager.default.createDirectory(atPath: directory + "/values", withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: directory)
        let process = try await process("full")
        process.store.set(1, forKey: "k")
        #expect(!process.store.synchronize())
        #expect(process.store.longLong(forKey: "k") == 1)
    }

    @Test("a damaged file is put aside") func damage() async throws {
        let first = try await process()
        first.store.set(1, forKey: "k")
        #expect(first.store.synchronize())
        await first.store.close()
        let path = directories("a") + "/values"
        try Data("no property list".utf8).write(to: URL(fileURLWithPath: path))
        let second = try await process()
        #expect(second.store.object(forKey: "k") == nil)
        second.store.set(2, forKey: "k")
        #expect(second.store.synchronize())
        #expect(FileManager.default.fileExists(atPath: path + ".damaged"))
        #expect(try await process().store.longLong(forKey: "k") == 2)
    }
}
