import StratusCloudModel
import StratusCloudStore

/// What a change added to a schema, and what it made of permissions: what a roll-back takes back.
struct SchemaAdditions: Hashable, Sendable {
    /// The permissions of a record type on both sides of a change.
    struct GrantChange: Hashable, Sendable {
        var before: [Grant]
        var after: [Grant]
    }

    /// Record types, and fields of others.
    var parts = SchemaParts()
    /// Indexes on fields that were there before, by record type and by field as the language names it.
    var indexes: [String: [String: FieldIndex.Kinds]] = [:]
    var roles: Set<String> = []
    /// By record type, of those that were there before.
    var grants: [String: GrantChange] = [:]

    init() {}

    /// - Parameters:
    ///   - old: Canonical, as `new`.
    init(from old: SchemaDocument, to new: SchemaDocument) {
        let before = Dictionary(old.recordTypes.map { ($0.name, $0) }) { first, _ in first }
        for type in new.recordTypes {
            guard let was = before[type.name] else {
                parts.recordTypes.insert(type.name)
                continue
            }
            let known = Dictionary(was.fields.map { ($0.name, $0) }) { first, _ in first }
            for field in type.fields {
                guard let was = known[field.name] else {
                    parts.insert(field: field.name, of: type.name)
                    continue
                }
                note(field.kinds.subtracting(was.kinds), on: field.name, of: type.name)
            }
            for (field, kinds) in type.systemFields {
                let added = kinds.subtracting(was.systemFields[field] ?? [])
                note(added, on: SystemFieldDeclaration.name(of: field), of: type.name)
            }
            if was.grants != type.grants { grants[type.name] = GrantChange(before: was.grants, after: type.grants) }
        }
        roles = Set(new.roles).subtracting(old.roles)
    }

    private mutating func note(_ kinds: FieldIndex.Kinds, on field: String, of recordType: String) {
        if !kinds.isEmpty { indexes[recordType, default: [:]][field] = kinds }
    }
}

extension SchemaDocument {
    /// The same without what a change added, as far as it is there; permissions become what they were before it, unless
    /// another change made others of them.
    /// - Precondition: It is canonical.
    func without(_ additions: SchemaAdditions) -> SchemaDocument {
        var document = self
        document.roles.removeAll { additions.roles.contains($0) }
        document.recordTypes.removeAll { additions.parts.recordTypes.contains($0.name) }
        for index in document.recordTypes.indices { document.recordTypes[index].takeBack(additions) }
        return document.canonical
    }
}

extension SchemaDocument.RecordType {
    fileprivate mutating func takeBack(_ additions: SchemaAdditions) {
        let (fields, indexes) = (additions.parts.fields[name] ?? [], additions.indexes[name] ?? [:])
        self.fields.removeAll { fields.contains($0.name) }
        for index in self.fields.indices { self.fields[index].kinds.subtract(indexes[self.fields[index].name] ?? []) }
        for field in systemFields.keys {
            systemFields[field]?.subtract(indexes[SystemFieldDeclaration.name(of: field)] ?? [])
        }
        if let change = additions.grants[name], change.after == grants { grants = change.before }
    }
}

extension SchemaAdditions {
    init(from reader: inout ByteReader) throws {
        for _ in 0..<(try reader.unsigned()) { parts.recordTypes.insert(try reader.string()) }
        for _ in 0..<(try reader.unsigned()) {
            let type = try reader.string()
            for _ in 0..<(try reader.unsigned()) { parts.insert(field: try reader.string(), of: type) }
        }
        // Earlier versions knew no more.
        guard !reader.isAtEnd else { return }
        for _ in 0..<(try reader.unsigned()) {
            let type = try reader.string()
            for _ in 0..<(try reader.unsigned()) {
                let field = try reader.string()
                note(FieldIndex.Kinds(rawValue: try reader.byte()).intersection(.all), on: field, of: type)
            }
        }
        roles = Set(try reader.list { try $0.string() })
        for _ in 0..<(try reader.unsigned()) {
            let type = try reader.string()
            grants[type] = GrantChange(
                before: try reader.list { try Grant(from: &$0) }, after: try reader.list { try Grant(from: &$0) })
        }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(list: parts.recordTypes.sorted()) { $0.write($1) }
        writer.write(list: parts.fields.sorted { $0.key < $1.key }) { writer, entry in
            writer.write(entry.key)
            writer.write(list: entry.value.sorted()) { $0.write($1) }
        }
        writer.write(list: indexes.sorted { $0.key < $1.key }) { writer, entry in
            writer.write(entry.key)
            writer.write(list: entry.value.sorted { $0.key < $1.key }) { writer, field in
                writer.write(field.key)
                writer.write(byte: field.value.rawValue)
            }
        }
        writer.write(list: roles.sorted()) { $0.write($1) }
        writer.write(list: grants.sorted { $0.key < $1.key }) { writer, entry in
            writer.write(entry.key)
            writer.write(list: entry.value.before) { $1.write(to: &$0) }
            writer.write(list: entry.value.after) { $1.write(to: &$0) }
        }
    }
}
