import Foundation
import Testing

@testable import CloudStore

@Suite struct BackupTests {
    private let home = Partition("home")

    @Test(arguments: StoreEngine.allCases) func aBackupIsAStoreOfItsOwn(engine: StoreEngine) async throws {
        let (directory, copy) = (try TemporaryDirectory(), try TemporaryDirectory())
        let store = try StoreEngine.open(directory: directory.path, otherwise: engine)
        for part in 0..<3 {
            try await store.write(Partition("p\(part)")) { transaction in
                for index in 0..<500 { transaction.set(Key("k\(index)"), value(index * 7)) }
            }
        }
        let path = copy.file(store.nameInDataDirectory)
        try await store.backUp(to: path)
        try await store.set(Key("later"), [1], in: Partition("p0"))
        let again = await #expect(throws: StoreError.self) { try await store.backUp(to: path) }
        #expect(again != nil)
        await store.close()

        let restored = try StoreEngine.open(directory: copy.path)
        #expect(StoreEngine.existing(in: copy.path) == engine)
        for part in 0..<3 {
            let found = try await restored.all(in: Partition("p\(part)"))
            #expect(found.count == 500)
            #expect(found.allSatisfy { $0.value.count % 7 == 0 })
        }
        try await restored.verify()
        try await restored.set(Key("new"), [1], in: home)
        await restored.close()
    }
}
