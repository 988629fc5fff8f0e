import StratusCloudModel
import StratusCloudStore

/// What one thread of a ``DatabaseScan`` reads.
struct ScanReader {
    private let schema: Schema
    private let layouts: IndexLayouts
    private let zones: ScannedZones
    private let countsAuthors: Bool
    private let progress: CheckProgress
    private let knownTypes: Set<[UInt8]>
    private var fields: [String: IndexedFields] = [:]
    private var rows = 0
    private(set) var outcome: DatabaseScan.Outcome
    /// What the index of the row before is like; rows of one index follow each other.
    private var index: (number: UInt64, tag: Keyspace.Tag, layout: IndexEntry.Layout?, isPassedOver: Bool)?

    private static let usersType = typeBytes(SystemRecordType.users)
    private static let rowsPerReport = 4_096

    init(
        _ schema: Schema, _ layouts: IndexLayouts, zones: ScannedZones, countsAuthors: Bool,
        _ progress: CheckProgress, _ outcome: DatabaseScan.Outcome
    ) {
        self.schema = schema
        self.layouts = layouts
        self.zones = zones
        self.countsAuthors = countsAuthors
        self.progress = progress
        self.outcome = outcome
        knownTypes = Set(schema.recordTypes.keys.map(Self.typeBytes))
    }

    /// A type as it stands in keys.
    private static func typeBytes(_ type: String) -> [UInt8] {
        var encoder = TupleEncoder()
        encoder.append(string: type)
        return encoder.bytes
    }

    /// Reads a range of rows of one kind.
    mutating func read(_ range: KeyRange, in transaction: any ReadTransaction) throws {
        guard let tag = range.lower.bytes.first.flatMap(Keyspace.Tag.init) else { return }
        try transaction.forEach(in: range, limit: .max, reverse: false) { key, value in
            try read(tag, key, value)
            rows += 1
            if rows == Self.rowsPerReport { finish() }
            return true
        }
    }

    /// Reports what was read.
    mutating func finish() {
        progress.addRows(rows)
        rows = 0
    }

    private mutating func read(
        _ tag: Keyspace.Tag, _ bytes: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) throws {
        var key = RawKey(bytes)
        let zone = key.unsigned().map { ZoneNumber(rawValue: $0) }
        switch (tag, zone) {
        case (.version, let zone): try readRecord(key, zone, value)
        // Rows of zones that are being deleted go by themselves.
        case (_, let zone?) where !zones.all.contains(zone): break
        case (_, nil): outcome.hasUnreadableRows = true
        case (.record, let zone?): readName(key, zone, value)
        case (.referrer, let zone?): readReferrer(key, zone)
        case (.assetUse, let zone?): readAssetUse(key, zone)
        case (.authorReferrers, let zone?): readAuthorReferrers(key, zone, value)
        case (.fileName, let zone?), (.fileDue, let zone?): readReservedEntry(key, tag, zone, value)
        case (_, let zone?): readIndexEntry(key, tag, zone, value)
        }
    }

    // MARK: - What must exist

    private mutating func readRecord(
        _ key: RawKey, _ zone: ZoneNumber?, _ value: UnsafeRawBufferPointer
    ) throws {
        var key = key
        if let zone, zones.all.contains(zone) { outcome.records += 1 }
        guard let zone, let version = key.unsigned(),
            let record = try? StoredRecord(stored: Array(value), version: version)
        else {
            outcome.hasUnreadableRows = true
            outcome.countedUsage = nil
            return
        }
        outcome.countedUsage? += record.usage(storedSize: value.count)
        guard zones.all.contains(zone) else { return }
        let bucket = KeySums.Bucket(zone, record.recordName)
        let name = Keyspace.record(zone: zone, name: record.recordName)
        outcome.sums.add(KeySums.hash(name.bytes, with: version), to: bucket)
        if let type = schema.recordTypes[record.recordType] { try addIndexEntries(of: record, type, zone, bucket) }
        if let reserved = zones.reserved[zone] {
            for entry in try reserved.entries(of: record, in: zone) {
                outcome.sums.add(KeySums.hash(entry.key.bytes), to: bucket)
            }
        }
        if record.hasReferences {
            // Of references that hold nothing there are no entries. Only a look at their targets tells which these
            // are, so the records that have them become suspects.
            let keys = record.actingReferences.map {
                Keyspace.referrer(zone: zone, target: $0.target, $0.kind, source: record.recordName)
            }
            for key in Set(keys) { outcome.sums.add(KeySums.hash(key.bytes), to: bucket) }
            if countsAuthors { addAuthor(of: record, zone) }
        }
        if record.hasAssets {
            for asset in Set(record.fields.assets) {
                let key = Keyspace.assetUse(zone: zone, recordName: record.recordName, asset)
                outcome.sums.add(KeySums.hash(key.bytes), to: bucket)
            }
        }
    }

    private mutating func addAuthor(of record: StoredRecord, _ zone: ZoneNumber) {
        for reference in record.actingReferences where reference.kind == .deleteSelf {
            let key = Keyspace.authorReferrers(
                zone: zone, target: reference.target, author: record.created.userRecordName)
            outcome.authorSums.add(KeySums.hash(key.bytes), to: KeySums.Bucket(zone, reference.target))
        }
    }

    private mutating func addIndexEntries(
        of record: StoredRecord, _ type: RecordTypeSchema, _ zone: ZoneNumber, _ bucket: KeySums.Bucket
    ) throws {
        let fields = fields[type.name] ?? IndexedFields(type.queryableFields)
        self.fields[type.name] = fields
        for key in try IndexMaintenance.contents(of: record, fields: fields, zone: zone).keys {
            outcome.sums.add(KeySums.hash(key.bytes), to: bucket)
        }
        var presence = Self.noField
        for field in fields.optional where field.content(of: record) != nil {
            presence = Self.presence(presence, field.index.number.rawValue)
        }
        // Records of users that have no indexed field are in no index.
        if record.recordType == SystemRecordType.users, presence == Self.noField { return }
        outcome.sums.add(KeySums.hash(TypeIndex.key(of: record, zone: zone).bytes, with: presence), to: bucket)
    }

    /// Which fields a record has, as a number: that of none, and with one more, in ascending order.
    private static let noField: UInt64 = 1
    private static func presence(_ presence: UInt64, _ number: UInt64) -> UInt64 {
        (presence ^ number) &* 0x9E37_79B9_7F4A_7C15 &+ 1
    }

    // MARK: - What exists

    private mutating func readName(_ key: RawKey, _ zone: ZoneNumber, _ value: UnsafeRawBufferPointer) {
        guard let entry = try? NameEntry(stored: Array(value)) else { return outcome.hasUnreadableRows = true }
        // Of a deleted record only the tombstone is left.
        guard let version = entry.version else { return }
        subtract(KeySums.hash(key.bytes, with: version), zone, key.rest)
    }

    private mutating func readReferrer(_ key: RawKey, _ zone: ZoneNumber) {
        var key = key
        guard key.skipEscaped(), key.skip(1) else { return outcome.hasUnreadableRows = true }
        subtract(KeySums.hash(key.bytes), zone, key.rest)
    }

    private mutating func readAssetUse(_ key: RawKey, _ zone: ZoneNumber) {
        var decoder = TupleDecoder(Key(Array(key.rest)))
        guard let name = decoder.string(), decoder.rest().count == AssetID.length else {
            return outcome.hasUnreadableRows = true
        }
        outcome.sums.subtract(KeySums.hash(key.bytes), from: KeySums.Bucket(zone, name))
    }

    private mutating func readAuthorReferrers(_ key: RawKey, _ zone: ZoneNumber, _ value: UnsafeRawBufferPointer) {
        var decoder = TupleDecoder(Key(Array(key.rest)))
        guard let target = decoder.string(), let count = try? ByteReader.read(Array(value), { try $0.unsigned() })
        else {
            return outcome.hasUnreadableRows = true
        }
        // A count stands for as many references.
        outcome.authorSums.subtract(KeySums.hash(key.bytes) &* count, from: KeySums.Bucket(zone, target))
    }

    private mutating func readReservedEntry(
        _ key: RawKey, _ tag: Keyspace.Tag, _ zone: ZoneNumber, _ value: UnsafeRawBufferPointer
    ) {
        outcome.indexEntries += 1
        guard let name = zones.reserved[zone]?.recordName(of: tag, Key(Array(key.bytes)), Array(value)) else {
            return outcome.hasUnreadableRows = true
        }
        outcome.sums.subtract(KeySums.hash(key.bytes), from: KeySums.Bucket(zone, name))
    }

    private mutating func readIndexEntry(
        _ key: RawKey, _ tag: Keyspace.Tag, _ zone: ZoneNumber, _ value: UnsafeRawBufferPointer
    ) {
        outcome.indexEntries += 1
        var key = key
        guard let number = key.unsigned() else { return outcome.hasUnreadableRows = true }
        let index = index(number, tag)
        if index.isPassedOver { return }
        let start = key.position
        guard let layout = index.layout, key.skipValue(layout) else { return outcome.hasUnreadableRows = true }
        guard number == 0 else { return subtract(KeySums.hash(key.bytes), zone, key.rest) }
        let type = Array(key.bytes[start..<key.position])
        guard let presence = presence(in: value) else { return outcome.hasUnreadableRows = true }
        if !knownTypes.contains(type) || type == Self.usersType && presence == Self.noField { return }
        subtract(KeySums.hash(key.bytes, with: presence), zone, key.rest)
    }

    /// What an entry of the ``TypeIndex`` tells of fields with complete indexes.
    private func presence(in value: UnsafeRawBufferPointer) -> UInt64? {
        var reader = ByteReader(value)
        var (presence, number) = (Self.noField, UInt64(0))
        while !reader.isAtEnd {
            guard let difference = try? reader.unsigned() else { return nil }
            if difference == UInt64(IndexHint.mark) { break }
            number &+= difference
            if layouts.optional.contains(number) { presence = Self.presence(presence, number) }
        }
        return presence
    }

    private mutating func index(
        _ number: UInt64, _ tag: Keyspace.Tag
    ) -> (layout: IndexEntry.Layout?, isPassedOver: Bool) {
        if let index, index.number == number, index.tag == tag { return (index.layout, index.isPassedOver) }
        // Entries of former indexes go by themselves, and those of indexes that are being built are looked at apart.
        let isPassedOver = layouts.dropped.contains(number) || layouts.building.contains(number)
        let layout = layouts[number, tag]
        index = (number, tag, layout, isPassedOver)
        return (layout, isPassedOver)
    }

    private mutating func subtract(_ hash: UInt64, _ zone: ZoneNumber, _ recordName: UnsafeRawBufferPointer) {
        outcome.sums.subtract(hash, from: KeySums.Bucket(zone, recordName))
    }
}
