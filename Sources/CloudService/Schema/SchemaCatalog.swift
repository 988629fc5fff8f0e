import CloudModel
import CloudStore
import Workers

/// The schemas of all contexts, remembered once read. Changes go through here, so what is remembered is true.
final class SchemaCatalog: Sendable {
    private let store: any CloudStore
    private let remembered = Lock([CloudContext: Schema]())

    init(store: any CloudStore) { self.store = store }

    func schema(of context: CloudContext) async throws -> Schema {
        if let schema = remembered.withLock({ $0[context] }) { return schema }
        let schema = try await store.read(.context(context)) { try Self.read(in: $0) }
        return remember(schema, of: context)
    }

    /// Applies a change durably and returns the schema after it.
    func change(
        _ context: CloudContext, _ body: @escaping @Sendable (inout Schema) throws -> Void
    ) async throws -> Schema {
        let schema = try await store.write(.context(context)) { transaction in
            let before = try Self.read(in: transaction)
            var schema = before
            try body(&schema)
            for (name, type) in schema.recordTypes where before.recordTypes[name] != type {
                transaction.set(Self.key(ofType: name), type)
            }
            transaction.set(Self.header, SchemaHeader(schema))
            return schema
        }
        return remember(schema, of: context)
    }

    /// Keeps the newer of two versions: a read may end after a change that it did not see.
    private func remember(_ schema: Schema, of context: CloudContext) -> Schema {
        remembered.withLock { schemas in
            if let known = schemas[context], known.version > schema.version { return known }
            schemas[context] = schema
            return schema
        }
    }

    private static func read(in transaction: any ReadTransaction) throws -> Schema {
        var schema = Schema()
        if let header: SchemaHeader = try transaction.value(at: header) {
            schema.version = header.version
            schema.nextIndexNumber = header.nextIndexNumber
        }
        for entry in try transaction.entries(in: types, limit: maximumRecordTypes) {
            let type = try RecordTypeSchema(stored: entry.value)
            schema.recordTypes[type.name] = type
        }
        if schema.recordTypes[SystemRecordType.users] == nil {
            schema.recordTypes[SystemRecordType.users] = .users
        }
        return schema
    }

    /// Record types that one context can have.
    static let maximumRecordTypes = 10_000

    private static let header = Key([0x01])
    private static let types = KeyRange(prefix: Key([0x02]))

    private static func key(ofType name: String) -> Key {
        var encoder = TupleEncoder()
        encoder.append(byte: 0x02)
        encoder.append(rest: name.utf8)
        return encoder.key
    }
}
