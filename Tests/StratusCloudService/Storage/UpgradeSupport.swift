import Foundation
import StratusCloudStore
import Testing

@testable import StratusCloudService

typealias StoreRows = [Partition: [Key: [UInt8]]]

extension CloudStore {
    /// Everything that it holds.
    func rows() async throws -> StoreRows {
        var all: StoreRows = [:]
        for partition in try await partitions() {
            let entries = try await read(partition) { transaction in
                try transaction.entries(in: KeyRange(lower: Key(), upper: Key([0xFF])), limit: .max)
            }
            all[partition] = Dictionary(uniqueKeysWithValues: entries.map { ($0.key, $0.value) })
        }
        return all
    }
}

/// A store holds what it is to hold, besides the form in which it does.
func expectEqual(_ store: any MaintainedStore, _ expected: StoreRows) async throws {
    var found = try await store.rows()
    #expect(found[.directory]?.removeValue(forKey: DirectoryKey.storedForm) != nil)
    for (partition, rows) in expected {
        let differing = Set(rows.keys).union(found[partition, default: [:]].keys).filter {
            rows[$0] != found[partition]?[$0]
        }
        #expect(differing.isEmpty, "\(partition.name): \(differing.map(\.hexadecimal).sorted().prefix(5))")
    }
    #expect(Set(found.keys) == Set(expected.keys))
}

/// A directory that goes with its owner.
final class Scratch {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("upgrade-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
