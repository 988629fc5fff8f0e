import Testing

@testable import StratusCloudStore

@Suite struct WriterReadTransactionTests {
    /// What is committed, and what was asked of it.
    private final class Committed: ReadTransaction {
        var asked: [Key] = []

        func get(_ keys: [Key]) throws -> [[UInt8]?] {
            asked += keys
            return keys.map { $0.bytes.last == 0 ? nil : $0.bytes }
        }

        func entries(in range: KeyRange, limit: Int, reverse: Bool) throws -> [StoreEntry] { [] }
    }

    @Test func onlyRowsOfThePartitionAreRememberedByAGroup() throws {
        let committed = Committed()
        let transaction = WriterReadTransaction(base: committed, health: StoreHealth())
        let (there, missing, record) = (Key([7]), Key([0]), Key([7, 7]))
        for _ in 0..<3 {
            #expect(try transaction.get([there]) == [[7]])
            #expect(try transaction.get([missing, record, there]) == [nil, [7, 7], [7]])
            #expect(try transaction.get([record]) == [[7, 7]])
        }
        #expect(committed.asked.count { $0 == there } == 1)
        #expect(committed.asked.count { $0 == missing } == 1)
        #expect(committed.asked.count { $0 == record } == 6)
    }
}
