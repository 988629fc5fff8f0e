import Foundation
import Glibc
import StratusWorkers
import Testing

@testable import StratusCloudStore

/// The files of a store's state, copied to another directory, are a store in that state.
@Suite struct BackupTests {
    private let home = Partition("home")

    private func copyState(of store: any MaintainedStore, to directory: String) async throws {
        try await store.withStateFiles { files in
            #expect(files.map(\.path) == files.map(\.path).sorted())
            for file in files {
                let target = URL(filePath: directory + "/" + file.path)
                try FileManager.default.createDirectory(
                    at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
                switch file.content {
                case .bytes(let bytes): try Data(bytes).write(to: target)
                case .file(let path): try FileManager.default.copyItem(at: URL(filePath: path), to: target)
                }
            }
        }
    }

    @Test(arguments: StoreEngine.allCases) func aStateIsAStoreOfItsOwn(engine: StoreEngine) async throws {
        let (directory, copy) = (try TemporaryDirectory(), try TemporaryDirectory())
        let store = try StoreEngine.open(directory: directory.path, otherwise: engine)
        for part in 0..<3 {
            try await store.write(Partition("p\(part)")) { transaction in
                for index in 0..<500 { transaction.set(Key("k\(index)"), value(index * 7)) }
            }
        }
        try await copyState(of: store, to: copy.path)
        try await store.set(Key("later"), [1], in: Partition("p0"))
        await store.close()
        let left = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(!left.contains { $0.contains("copy") }, "\(left)")

        let restored = try StoreEngine.open(directory: copy.path)
        #expect(StoreEngine.existing(in: copy.path) == engine)
        for part in 0..<3 {
            let found = try await restored.all(in: Partition("p\(part)"))
            #expect(found.count == 500)
            #expect(found.allSatisfy { $0.value.count % 7 == 0 })
        }
        #expect(try await restored.partitions().count == 3)
        try await restored.verify()
        try await restored.set(Key("new"), [1], in: home)
        await restored.close()
    }

    /// Writers overwrite and add all the time, with so small tables that LevelDB removes and makes some meanwhile. Every
    /// copy must hold all that was acknowledged before it, and of each writer a whole beginning.
    @Test(arguments: StoreEngine.allCases) func aStateIsThatOfOneMoment(engine: StoreEngine) async throws {
        let directory = try TemporaryDirectory()
        let store: any MaintainedStore
        switch engine {
        case .sqlite: store = try SQLiteStore(directory: directory.path)
        case .leveldb:
            var options = LevelDBStore.Options()
            options.writeBufferSize = 65_536
            options.tableSize = 65_536
            store = try LevelDBStore(directory: directory.path, options: options)
        }
        let acknowledged = Lock([Int](repeating: 0, count: 4))
        let isDone = Lock(false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    var number = 0
                    while !isDone.withLock({ $0 }) {
                        number += 1
                        let count = number
                        try await store.write(Partition("w\(writer)")) { transaction in
                            transaction.set(Key("count"), Array("\(count)".utf8))
                            for index in 0..<20 {
                                transaction.set(Key("k\(index)-\(count % 50)"), value(200, count))
                            }
                        }
                        acknowledged.withLock { $0[writer] = count }
                    }
                }
            }
            for _ in 0..<6 {
                let copy = try TemporaryDirectory()
                let before = acknowledged.withLock { $0 }
                try await copyState(of: store, to: copy.path)
                let restored = try StoreEngine.open(directory: copy.path)
                try await restored.verify()
                for writer in 0..<4 {
                    let partition = Partition("w\(writer)")
                    let text = try await restored.get(Key("count"), in: partition) ?? []
                    let count = Int(String(decoding: text, as: UTF8.self)) ?? 0
                    #expect(count >= before[writer])
                    guard count > 0 else { continue }
                    #expect(try await restored.get(Key("k0-\(count % 50)"), in: partition) == value(200, count))
                    #expect(try await restored.get(Key("k19-\(count % 50)"), in: partition) == value(200, count))
                }
                await restored.close()
            }
            isDone.withLock { $0 = true }
            try await group.waitForAll()
        }
        await store.close()
    }

    /// What is written meanwhile makes tables superfluous that the state has; they stay until it is copied.
    @Test func whatAStateHasStaysUntilItIsCopied() async throws {
        let directory = try TemporaryDirectory()
        var options = LevelDBStore.Options()
        options.writeBufferSize = 65_536
        options.tableSize = 65_536
        let store = try LevelDBStore(directory: directory.path, options: options)
        @Sendable func fill(_ round: Int) async throws {
            for part in 0..<40 {
                try await store.write(home) { transaction in
                    for index in 0..<20 { transaction.set(Key("k\(part)-\(index)"), value(500, round)) }
                }
            }
        }
        for round in 0..<4 { try await fill(round) }
        let (hasBegun, isFilled) = (Lock(false), Lock(false))
        async let filling: Void = {
            while !hasBegun.withLock({ $0 }) { await Task.yield() }
            for round in 4..<16 { try await fill(round) }
            isFilled.withLock { $0 = true }
        }()
        let (tables, gone) = try await store.withStateFiles { files in
            hasBegun.withLock { $0 = true }
            while !isFilled.withLock({ $0 }) { sched_yield() }
            let paths = files.compactMap { if case .file(let path) = $0.content { path } else { nil } }
            return (paths.count, paths.filter { access($0, F_OK) != 0 })
        }
        try await filling
        #expect(tables > 0 && gone.isEmpty, "\(gone) of \(tables)")
        await store.close()
    }

    @Test func whatIsHeldIsRemovedAfterwards() async throws {
        let directory = try TemporaryDirectory()
        var options = LevelDBStore.Options()
        options.writeBufferSize = 65_536
        options.tableSize = 65_536
        let store = try LevelDBStore(directory: directory.path, options: options)
        @Sendable func fill(_ round: Int) async throws {
            for part in 0..<40 {
                try await store.write(home) { transaction in
                    for index in 0..<20 { transaction.set(Key("k\(part)-\(index)"), value(500, round)) }
                }
            }
        }
        @Sendable func tables() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: directory.file("stratus.leveldb"))
                .filter { $0.hasSuffix(".ldb") }.count
        }
        for round in 0..<4 { try await fill(round) }
        // A state that is asked for and dropped again holds nothing back for good.
        try await store.withStateFiles { _ in }
        for round in 4..<12 { try await fill(round) }
        #expect(try tables() < 40, "of some 70 that were made")
        await store.close()
    }
}
