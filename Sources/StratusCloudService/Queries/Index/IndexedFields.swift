import StratusWorkers

/// The fields of a record type that have entries in indexes.
struct IndexedFields: Sendable {
    let all: [QueryableField]
    /// Those that a record can lack, in the order of their indexes' numbers.
    let optional: [QueryableField]

    init(_ fields: [QueryableField]) {
        all = fields
        optional = fields.filter(\.isOptional).sorted { $0.index.number.rawValue < $1.index.number.rawValue }
    }
}

/// The indexed fields of a schema's record types, each put together when it is first asked for: every save needs them.
///
/// They follow from the schema, so for its equality they do not count.
final class IndexMemory: Hashable, Sendable {
    private let known = Lock([String: IndexedFields]())

    /// - Parameter type: of the schema that this belongs to.
    func fields(of type: RecordTypeSchema) -> IndexedFields {
        known.withLock { known in
            if let fields = known[type.name] { return fields }
            let fields = IndexedFields(type.indexedFields)
            known[type.name] = fields
            return fields
        }
    }

    static func == (left: IndexMemory, right: IndexMemory) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}
