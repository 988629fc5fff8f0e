import CloudModel
import CloudStore

/// A change of a schema that an operator made.
public struct SchemaHistoryEntry: Hashable, Sendable {
    /// What kind of change it was.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case apply
        case imported = "import"
        case deploy
        case rollback
        case reset
    }

    /// Counts the changes of the environment from 1 on.
    public var number: UInt64 = 0
    /// What was done.
    public var kind: Kind
    /// What the operator calls it; may be empty.
    public var name: String
    /// Who did it; empty if that is not known.
    public var by: String
    /// Milliseconds since 1970-01-01 UTC.
    public var time: Int64
    /// What changed, in lines.
    public var diff: String = ""
    /// The record types, and the fields of others, that it added.
    var additions = SchemaParts()
}

extension SchemaHistoryEntry: StoredValue {
    static let format: UInt8 = 1

    init(from reader: inout ByteReader) throws {
        number = try reader.unsigned()
        guard let kind = Kind(rawValue: try reader.string()) else { throw ByteReader.Malformed() }
        self.kind = kind
        name = try reader.string()
        by = try reader.string()
        time = try reader.signed()
        diff = try reader.string()
        for _ in 0..<(try reader.unsigned()) { additions.recordTypes.insert(try reader.string()) }
        for _ in 0..<(try reader.unsigned()) {
            let type = try reader.string()
            for _ in 0..<(try reader.unsigned()) { additions.insert(field: try reader.string(), of: type) }
        }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(unsigned: number)
        writer.write(kind.rawValue)
        writer.write(name)
        writer.write(by)
        writer.write(signed: time)
        writer.write(diff)
        writer.write(unsigned: UInt64(additions.recordTypes.count))
        for type in additions.recordTypes.sorted() { writer.write(type) }
        writer.write(unsigned: UInt64(additions.fields.count))
        for (type, names) in additions.fields.sorted(by: { $0.key < $1.key }) {
            writer.write(type)
            writer.write(unsigned: UInt64(names.count))
            for name in names.sorted() { writer.write(name) }
        }
    }
}

extension SchemaHistoryEntry {
    private static func key(_ number: UInt64) -> Key {
        var encoder = TupleEncoder()
        for byte in SchemaCatalog.history.lower.bytes { encoder.append(byte: byte) }
        encoder.append(unsigned: number)
        return encoder.key
    }

    /// Appends a change to the history, of which the oldest entries may go.
    func append(from old: Schema, to new: Schema, in transaction: any WriteTransaction) throws {
        var entry = self
        let diff = SchemaDiff(from: SchemaDocument(old), to: SchemaDocument(new))
        entry.diff = String(diff.description.prefix(ServiceLimits.historyDiffSize / 4))
        for change in diff.changes {
            switch change {
            case .recordTypeAdded(let type): entry.additions.recordTypes.insert(type)
            case .fieldAdded(let type, let field, _) where !entry.additions.recordTypes.contains(type):
                entry.additions.insert(field: field, of: type)
            default: break
            }
        }
        let last = try transaction.entries(in: SchemaCatalog.history, limit: 1, reverse: true).first
        entry.number = try last.map { try SchemaHistoryEntry(stored: $0.value).number + 1 } ?? 1
        transaction.set(Self.key(entry.number), entry)
        if entry.number > ServiceLimits.schemaHistory {
            transaction.clear(Self.key(entry.number - UInt64(ServiceLimits.schemaHistory)))
        }
    }

    static func read(_ number: UInt64, in transaction: any ReadTransaction) throws -> SchemaHistoryEntry? {
        try transaction.value(at: key(number))
    }
}

/// A change of a schema with its entry in the history.
struct SchemaChange: Sendable {
    /// Thrown to leave everything as it is.
    private struct Changed: Error {}

    let kind: SchemaHistoryEntry.Kind
    let name: String
    let by: String
    let time: Int64

    /// Makes the change, if it is any, and notes it, in one transaction; then the builder of indexes looks what there is
    /// for it.
    /// - Parameters:
    ///   - version: Of the schema that it was decided on.
    ///   - body: Changes the schema.
    /// - Returns: what changed; nil if the schema is not the one of that version any more.
    func carryOut(
        on schemas: SchemaCatalog, _ context: CloudContext, _ service: CloudService, ifStill version: UInt64,
        _ body: @escaping @Sendable (inout Schema) throws(CloudError) -> Void
    ) async throws(CloudError) -> SchemaDiff? {
        try checkWords()
        do {
            return try await carryOut(on: schemas, context, service, version, body)
        } catch is Changed {
            return nil
        } catch {
            throw service.cloudError(from: error)
        }
    }

    /// As ``carryOut(on:_:_:ifStill:_:)``, of whatever the schema is at that moment.
    func carryOut(
        on schemas: SchemaCatalog, _ context: CloudContext, _ service: CloudService,
        _ body: @escaping @Sendable (inout Schema) throws(CloudError) -> Void
    ) async throws(CloudError) -> SchemaDiff {
        try checkWords()
        do {
            return try await carryOut(on: schemas, context, service, nil, body)
        } catch {
            throw service.cloudError(from: error)
        }
    }

    private func carryOut(
        on schemas: SchemaCatalog, _ context: CloudContext, _ service: CloudService, _ version: UInt64?,
        _ body: @escaping @Sendable (inout Schema) throws(CloudError) -> Void
    ) async throws -> SchemaDiff {
        let entry = SchemaHistoryEntry(kind: kind, name: name, by: by, time: time)
        let diff = try await schemas.change(context) { schema, transaction in
            if let version, schema.version != version { throw Changed() }
            let before = schema
            try body(&schema)
            try schema.checkRoom()
            try entry.append(from: before, to: schema, in: transaction)
            return SchemaDiff(from: SchemaDocument(before), to: SchemaDocument(schema))
        }
        service.indexWork.wake()
        return diff
    }

    private func checkWords() throws(CloudError) {
        for (word, what) in [(name, "name"), (by, "operator")] where word.utf8.count > ServiceLimits.labelLength {
            throw CloudError(.badRequest, "the \(what) has more than \(ServiceLimits.labelLength) bytes")
        }
    }
}
