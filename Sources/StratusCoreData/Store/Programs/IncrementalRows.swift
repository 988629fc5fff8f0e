import Foundation

/// The layout of an incremental store. Its rows are those that the class of the program makes for a context, so that none
/// can be read here.
final class IncrementalRows: RowStore {
    let layout: StoreLayout
    let isReadOnly: Bool
    let identifier: String
    let recordsHistory = false
    let isInMemory = true

    init(_ store: NSIncrementalStore, _ layout: StoreLayout) {
        self.layout = layout
        isReadOnly = store.isReadOnly
        identifier = store.identifier ?? ""
    }

    private var unsupported: StoreFailure {
        StoreFailure(.unsupported, "an incremental store answers only requests of contexts")
    }

    func metadata() throws -> [String: Any] { [:] }
    func setMetadata(_ metadata: [String: Any]) throws { throw unsupported }
    func obtainKeys(_ counts: [String: Int]) throws -> [String: [RowKey]] { throw unsupported }
    func rows(_ keys: [RowKey]) throws -> [RowKey: StoredRow] { throw unsupported }
    func row(_ key: RowKey) throws -> StoredRow? { throw unsupported }
    func destinations(of relationship: String, from key: RowKey) throws -> [RowKey] { throw unsupported }
    func save(_ changes: RowChanges) throws -> SavedRows { throw unsupported }
    func fetch(_ plan: FetchPlan) throws -> FetchedRows { throw unsupported }
    func lastTransaction() throws -> Int64 { throw unsupported }
    func transactions(after number: Int64?, includesChanges: Bool) throws -> [StoredTransaction]? { throw unsupported }
    func deleteHistory(before number: Int64) throws { throw unsupported }
    func deleteHistory(before date: Date) throws { throw unsupported }
    func hasChangedElsewhere() throws -> Bool { false }
    func snapshot() throws -> (any RowStore)? { nil }
    func move(to path: String, willClose: () -> Void) throws { throw unsupported }
    func close() {}
}
