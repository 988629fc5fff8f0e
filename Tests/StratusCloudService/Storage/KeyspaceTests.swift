import StratusCloudStore
import Testing

@testable import StratusCloudService

@Suite struct KeyspaceTests {
    /// The engine goes by numbers, this room gives them their meaning.
    @Test func entriesOfIndexesAreReadInRanges() {
        let tags: [Keyspace.Tag] = [.index, .token, .cell]
        #expect(RowKind.readInRanges == tags.map(\.rawValue))
    }
}
