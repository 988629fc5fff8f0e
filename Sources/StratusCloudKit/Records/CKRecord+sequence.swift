import Foundation

/// Goes through the keys of a record that have values.
public struct CKRecordKeyValueIterator: IteratorProtocol {
    private var fields: IndexingIterator<[(key: String, value: RecordValue)]>

    init(_ fields: [(key: String, value: RecordValue)]) { self.fields = fields.makeIterator() }

    /// The next key and its value.
    public mutating func next() -> (CKRecord.FieldKey, any CKRecordValueProtocol)? {
        fields.next().map { ($0.key, $0.value.value) }
    }
}

extension CKRecord: Sequence {
    /// Goes through the keys that have values, in alphabetical order.
    public func makeIterator() -> CKRecordKeyValueIterator {
        CKRecordKeyValueIterator(state.withLock { $0.plain.values.sorted { $0.key < $1.key } })
    }
}
