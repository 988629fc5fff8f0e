import StratusCloudStore

/// The records of a type in the order of their names. It always exists, whatever the schema indexes, so that there is
/// a way to all records of a type that reads no others. It stands in the index range under number 0, which no field
/// has, and the value of an entry tells which indexed fields the record has, so that records without one are found
/// without reading them. Behind that stands the ``IndexHint``.
enum TypeIndex {
    private static let number = IndexNumber(rawValue: 0)

    static func prefix(zone: ZoneNumber, type: String) -> TupleEncoder {
        var encoder = Keyspace.prefix(.index, zone: zone, index: number)
        encoder.append(string: type)
        return encoder
    }

    static func key(zone: ZoneNumber, type: String, name: String) -> Key {
        var encoder = prefix(zone: zone, type: type)
        encoder.append(rest: name.utf8)
        return encoder.key
    }

    static func key(of record: StoredRecord, zone: ZoneNumber) -> Key {
        key(zone: zone, type: record.recordType, name: record.recordName)
    }

    /// The value of an entry, given what it tells of the fields.
    static func value(_ presence: [UInt8], _ version: UInt64) -> [UInt8] {
        presence + [IndexHint.mark] + IndexHint.value(version)
    }

    /// What an entry tells of the fields: the numbers of those that the record has, as differences above 0.
    static func presence(of record: StoredRecord, fields: IndexedFields) -> [UInt8] {
        var writer = ByteWriter(capacity: 16)
        var previous: UInt64 = 0
        for field in fields.optional where field.content(of: record) != nil {
            let number = field.index.number.rawValue
            writer.write(unsigned: number - previous)
            previous = number
        }
        return writer.bytes
    }

    /// Whether the record of an entry has one of the fields. The value was written with the schema of its time, which
    /// is right for later fields too: the record cannot have them.
    static func has(_ numbers: Set<UInt64>, in value: [UInt8]) throws -> Bool {
        try ByteReader.read(value) { reader in
            var number: UInt64 = 0
            while !reader.isAtEnd {
                let difference = try reader.unsigned()
                if difference == UInt64(IndexHint.mark) { break }
                number &+= difference
                if numbers.contains(number) { return true }
            }
            return false
        }
    }
}
