import CloudModel
import CloudStore

/// Keeps the indexes of a record: which entries it has, and what a change writes.
///
/// | range | what stands behind the index number |
/// | --- | --- |
/// | index | value / record name; for lists 0x01 / member / record name, or 0x00 / record name when empty |
/// | index, number 0 | record type / record name (``TypeIndex``) |
/// | token | word / record name |
/// | cell | cell / record name |
enum IndexMaintenance {
    /// Marks of list entries.
    static let emptyList: UInt8 = 0
    static let listMember: UInt8 = 1

    /// All index entries of a record, in the order of their keys.
    /// - Throws: `INTERNAL_ERROR` if the system's Unicode library cannot work.
    static func entries(
        of record: StoredRecord, in type: RecordTypeSchema, zone: ZoneNumber
    ) throws(CloudError) -> [StoreEntry] {
        try entries(of: record, fields: type.queryableFields, zone: zone)
    }

    /// Writes the difference between the entries of two versions of a record; nil stands for a record that is not
    /// there. `type` is the schema of both.
    static func update(
        from old: StoredRecord?, to new: StoredRecord?, type: RecordTypeSchema, zone: ZoneNumber,
        in transaction: any WriteTransaction
    ) throws(CloudError) {
        let fields = type.queryableFields
        var obsolete: [StoreEntry] = []
        var wanted: [StoreEntry] = []
        if let old { obsolete = try entries(of: old, fields: fields, zone: zone) }
        if let new { wanted = try entries(of: new, fields: fields, zone: zone) }
        var before = obsolete[...]
        var after = wanted[...]
        while let entry = after.first {
            if let head = before.first, head.key < entry.key {
                transaction.clear(head.key)
                before.removeFirst()
            } else if let head = before.first, head.key == entry.key {
                if head.value != entry.value { transaction.set(entry.key, entry.value) }
                before.removeFirst()
                after.removeFirst()
            } else {
                transaction.set(entry.key, entry.value)
                after.removeFirst()
            }
        }
        for entry in before { transaction.clear(entry.key) }
    }

    /// The keys that a record has in one of a field's indexes.
    static func keys(
        of record: StoredRecord, field: QueryableField, _ tag: Keyspace.Tag, zone: ZoneNumber
    ) throws(CloudError) -> [Key] {
        guard let content = field.content(of: record) else { return [] }
        var keys: [Key] = []
        if tag == .token {
            try appendTokens(content, of: field, name: record.recordName, zone: zone, to: &keys)
        } else {
            appendValues(content, of: field, name: record.recordName, zone: zone, to: &keys)
        }
        return keys
    }

    private static func entries(
        of record: StoredRecord, fields: [QueryableField], zone: ZoneNumber
    ) throws(CloudError) -> [StoreEntry] {
        var keys: [Key] = []
        keys.reserveCapacity(fields.count + 1)
        for field in fields where !field.isRecordName {
            guard let content = field.content(of: record) else { continue }
            if !field.index.kinds.isDisjoint(with: [.queryable, .sortable]) {
                appendValues(content, of: field, name: record.recordName, zone: zone, to: &keys)
            }
            if field.index.kinds.contains(.searchable), field.type.scalar == .string {
                try appendTokens(content, of: field, name: record.recordName, zone: zone, to: &keys)
            }
        }
        var entries = keys.map { StoreEntry(key: $0, value: []) }
        entries.append(
            StoreEntry(
                key: TypeIndex.key(zone: zone, type: record.recordType, name: record.recordName),
                value: TypeIndex.presence(of: record, fields: fields)))
        entries.sort { $0.key < $1.key }
        return entries
    }

    private static func appendValues(
        _ content: QueryableField.Content, of field: QueryableField, name: String, zone: ZoneNumber,
        to keys: inout [Key]
    ) {
        switch content {
        case .scalar(.location(let location)):
            var encoder = field.prefix(.cell, zone: zone)
            encoder.append(bigEndian: Cell(location).rawValue)
            encoder.append(rest: name.utf8)
            keys.append(encoder.key)
        case .scalar(let value):
            guard let bytes = IndexValue.orderedBytes(value) else { return }
            var encoder = field.prefix(.index, zone: zone)
            IndexValue.append(bytes, of: field.type.scalar, to: &encoder)
            encoder.append(rest: name.utf8)
            keys.append(encoder.key)
        case .list(let elements):
            guard IndexValue.isOrdered(field.type.scalar) else { return }
            let prefix = field.prefix(.index, zone: zone)
            var members: Set<Key> = []
            for bytes in elements.lazy.compactMap(IndexValue.orderedBytes) {
                var encoder = prefix
                encoder.append(byte: listMember)
                IndexValue.append(bytes, of: field.type.scalar, to: &encoder)
                encoder.append(rest: name.utf8)
                members.insert(encoder.key)
            }
            if elements.isEmpty {
                var encoder = prefix
                encoder.append(byte: emptyList)
                encoder.append(rest: name.utf8)
                members.insert(encoder.key)
            }
            keys.append(contentsOf: members)
        }
    }

    private static func appendTokens(
        _ content: QueryableField.Content, of field: QueryableField, name: String, zone: ZoneNumber,
        to keys: inout [Key]
    ) throws(CloudError) {
        let prefix = field.prefix(.token, zone: zone)
        for token in try Tokenizer.text(of: content).tokens {
            var encoder = prefix
            encoder.append(escaped: token)
            encoder.append(rest: name.utf8)
            keys.append(encoder.key)
        }
    }
}
