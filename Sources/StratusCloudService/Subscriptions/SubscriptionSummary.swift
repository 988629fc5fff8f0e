import StratusCloudModel

/// What is subscribed in a database, in short: read with every save, in the same batch as the zone, so that a save which
/// nobody watches looks no further. Gone when nothing is subscribed.
struct SubscriptionSummary: StoredValue, Hashable {
    static let format: UInt8 = 2
    static let readableFormats: ClosedRange<UInt8> = 1...2

    /// The subscriptions to records of one type.
    struct OfType: Hashable {
        /// Those that stand at the type as such.
        var whole: UInt64 = 0
        /// Those that stand at values of a field, by the field's name.
        var byField: [String: UInt64] = [:]

        var isEmpty: Bool { whole == 0 && byField.isEmpty }
    }

    var databases: UInt64 = 0
    var zones: UInt64 = 0
    var types: [String: OfType] = [:]
    /// What webhooks watch; in public databases only.
    var webhooks: [WebhookWatch] = []

    var isEmpty: Bool { databases == 0 && zones == 0 && types.isEmpty && webhooks.isEmpty }

    init() {}

    /// Counts a subscription that stands at these places.
    mutating func add(_ places: [WatchedPlace]) { count(places) { $0 + 1 } }

    /// Counts one less.
    mutating func remove(_ places: [WatchedPlace]) { count(places) { $0 > 0 ? $0 - 1 : 0 } }

    private mutating func count(_ places: [WatchedPlace], _ change: (UInt64) -> UInt64) {
        for place in places {
            switch place {
            case .database: databases = change(databases)
            case .zone: zones = change(zones)
            case .type(let type):
                var counts = types[type] ?? OfType()
                counts.whole = change(counts.whole)
                types[type] = counts.isEmpty ? nil : counts
            case .value(let type, let field, _):
                var counts = types[type] ?? OfType()
                let number = change(counts.byField[field] ?? 0)
                counts.byField[field] = number == 0 ? nil : number
                types[type] = counts.isEmpty ? nil : counts
            }
        }
    }

    /// The places that a version of a record touches and where somebody may stand.
    func places(of record: StoredRecord, _ type: RecordTypeSchema?) -> [WatchedPlace] {
        guard let counts = types[record.recordType] else { return [] }
        var places: [WatchedPlace] = counts.whole > 0 ? [.type(record.recordType)] : []
        guard let type else { return places }
        for name in counts.byField.keys {
            guard let field = QueryableField(watchedName: name, in: type) else { continue }
            places += field.watchedPlaces(of: record)
        }
        return places
    }

    init(from reader: inout ByteReader) throws {
        databases = try reader.unsigned()
        zones = try reader.unsigned()
        for _ in 0..<(try reader.unsigned()) {
            let type = try reader.string()
            var counts = OfType(whole: try reader.unsigned())
            for _ in 0..<(try reader.unsigned()) { counts.byField[try reader.string()] = try reader.unsigned() }
            types[type] = counts
        }
        // Format 1 ends here.
        if !reader.isAtEnd { webhooks = try reader.list { try WebhookWatch(from: &$0) } }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(unsigned: databases)
        writer.write(unsigned: zones)
        writer.write(unsigned: UInt64(types.count))
        for (type, counts) in types.sorted(by: { $0.key < $1.key }) {
            writer.write(type)
            writer.write(unsigned: counts.whole)
            writer.write(unsigned: UInt64(counts.byField.count))
            for (field, count) in counts.byField.sorted(by: { $0.key < $1.key }) {
                writer.write(field)
                writer.write(unsigned: count)
            }
        }
        writer.write(list: webhooks) { $1.write(to: &$0) }
    }
}
