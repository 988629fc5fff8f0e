import StratusCloudModel
import StratusCloudStore

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
    /// What a roll-back takes back.
    var additions = SchemaAdditions()
}

extension SchemaHistoryEntry: StoredValue {
    static let format: UInt8 = 2
    static let readableFormats: ClosedRange<UInt8> = 1...2

    init(from reader: inout ByteReader) throws {
        number = try reader.unsigned()
        guard let kind = Kind(rawValue: try reader.string()) else { throw ByteReader.Malformed() }
        self.kind = kind
        name = try reader.string()
        by = try reader.string()
        time = try reader.signed()
        diff = try reader.string()
        additions = try SchemaAdditions(from: &reader)
    }

    func write(to writer: inout ByteWriter) {
        writer.write(unsigned: number)
        writer.write(kind.rawValue)
        writer.write(name)
        writer.write(by)
        writer.write(signed: time)
        writer.write(diff)
        additions.write(to: &writer)
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
        let (before, after) = (SchemaDocument(old), SchemaDocument(new))
        let diff = SchemaDiff(from: before, to: after)
        entry.diff = Self.shortened(diff.description)
        entry.additions = SchemaAdditions(from: before, to: after)
        let last = try transaction.entries(in: SchemaCatalog.history, limit: 1, reverse: true).first
        entry.number = try last.map { try SchemaHistoryEntry(stored: $0.value).number + 1 } ?? 1
        transaction.set(Self.key(entry.number), entry)
        if entry.number > ServiceLimits.schemaHistory {
            transaction.clear(Self.key(entry.number - UInt64(ServiceLimits.schemaHistory)))
        }
    }

    /// The whole lines of a diff that the history keeps.
    static func shortened(_ diff: String) -> String {
        let limit = ServiceLimits.historyDiffSize
        guard diff.utf8.count > limit else { return diff }
        let start = diff.utf8.prefix(limit + 1)
        let end = start.lastIndex(of: UInt8(ascii: "\n")) ?? start.startIndex
        return String(diff[..<end])
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
