import CloudStore
import Testing

@testable import CloudService

@Suite struct KeyspaceTests {
    /// The engine goes by numbers, this room gives them their meaning.
    @Test func recordsAndIndexEntriesAreLookedForWhereTheyAre() {
        let tags: [Keyspace.Tag] = [.version, .index, .token, .cell]
        #expect(RowKind.surelyThere == tags.map(\.rawValue))
    }
}
