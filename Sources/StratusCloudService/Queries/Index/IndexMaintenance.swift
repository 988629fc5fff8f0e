import StratusCloudModel
import StratusCloudStore

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
        let contents = try contents(of: record, fields: IndexedFields(type.indexedFields), zone: zone)
        let hint = IndexHint.value(record.version)
        var entries = contents.keys.map { StoreEntry(key: $0, value: hint) }
        let value = TypeIndex.value(contents.presence, record.version)
        entries.append(StoreEntry(key: TypeIndex.key(of: record, zone: zone), value: value))
        return entries.sorted { $0.key < $1.key }
    }

    /// Writes the difference between the entries of two versions of a record; nil stands for a record that is not
    /// there. `fields` are those of both.
    static func update(
        from old: StoredRecord?, to new: StoredRecord?, fields: IndexedFields, zone: ZoneNumber,
        in transaction: any WriteTransaction
    ) throws(CloudError) {
        guard let old else {
            guard let new else { return }
            return add(try contents(of: new, fields: fields, zone: zone), of: new, zone: zone, in: transaction)
        }
        let before = try contents(of: old, fields: fields, zone: zone)
        guard let new else {
            for key in before.keys { transaction.clear(key) }
            return transaction.clear(TypeIndex.key(of: old, zone: zone))
        }
        let after = try contents(of: new, fields: fields, zone: zone)
        let hint = IndexHint.value(new.version)
        var obsolete = before.keys.sorted()[...]
        for key in after.keys.sorted() {
            while let head = obsolete.first, head < key {
                transaction.clear(head)
                obsolete.removeFirst()
            }
            if obsolete.first == key { obsolete.removeFirst() } else { transaction.set(key, hint) }
        }
        for key in obsolete { transaction.clear(key) }
        if before.presence != after.presence {
            transaction.set(TypeIndex.key(of: new, zone: zone), TypeIndex.value(after.presence, new.version))
        }
    }

    /// Writes the entries of a record that was not there before.
    static func add(
        _ contents: Contents, of record: StoredRecord, zone: ZoneNumber, in transaction: any WriteTransaction
    ) {
        let hint = IndexHint.value(record.version)
        for key in contents.keys { transaction.set(key, hint) }
        transaction.set(TypeIndex.key(of: record, zone: zone), TypeIndex.value(contents.presence, record.version))
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

    /// What the indexes say of a record, whatever its version.
    struct Contents: Sendable {
        /// Of all entries but that of the ``TypeIndex``, in no order.
        var keys: [Key]
        var presence: [UInt8]
    }

    static func contents(
        of record: StoredRecord, fields: IndexedFields, zone: ZoneNumber
    ) throws(CloudError) -> Contents {
        var keys: [Key] = []
        keys.reserveCapacity(fields.all.count)
        for field in fields.all where !field.isRecordName {
            guard let content = field.content(of: record) else { continue }
            if !field.index.kinds.isDisjoint(with: [.queryable, .sortable]) {
                appendValues(content, of: field, name: record.recordName, zone: zone, to: &keys)
            }
            if field.index.kinds.contains(.searchable), field.type.scalar == .string {
                try appendTokens(content, of: field, name: record.recordName, zone: zone, to: &keys)
            }
        }
        return Contents(keys: keys, presence: TypeIndex.presence(of: record, fields: fields))
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
            guard IndexValue.isOrdered(value.type) else { return }
            var encoder = field.prefix(.index, zone: zone)
            IndexValue.append(value, to: &encoder)
            encoder.append(rest: name.utf8)
            keys.append(encoder.key)
        case .list(let elements):
            guard IndexValue.isOrdered(field.type.scalar) else { return }
            let prefix = field.prefix(.index, zone: zone)
            var members: Set<Key> = []
            for element in elements {
                var encoder = prefix
                encoder.append(byte: listMember)
                IndexValue.append(element, to: &encoder)
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
