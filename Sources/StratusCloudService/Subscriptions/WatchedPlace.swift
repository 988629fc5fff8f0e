import StratusCloudModel

/// Where a subscription stands in the index that a commit looks into: the narrowest place that every change it can
/// fire on touches.
enum WatchedPlace: Hashable, Sendable {
    /// All custom zones.
    case database
    /// A custom zone, by name.
    case zone(String)
    /// All records of a type.
    case type(String)
    /// Records of a type whose field has this value, as ``IndexValue`` writes it.
    case value(type: String, field: String, [UInt8])

    /// Values of an IN filter up to which a subscription stands at each of them.
    private static let mostValues = 16

    /// Where a subscription stands. A predicate that fixes a field's value makes it cost nothing to changes of all
    /// other values: in public databases most are of this kind ("messages to me").
    static func places(of kind: Subscription.Kind, _ filters: [ResolvedFilter]) -> [WatchedPlace] {
        switch kind {
        case .database: return [.database]
        case .zone(let zone, _): return [.zone(zone.zoneName)]
        case .query(let query):
            let type = query.query.recordType
            for filter in filters {
                guard let field = filter.fields.first, let values = fixedValues(filter), !values.isEmpty else {
                    continue
                }
                return values.map { .value(type: type, field: field.watchedName, $0) }
            }
            return [.type(type)]
        }
    }

    /// The values of which a field must have one to satisfy a filter; nil where the filter is of another kind.
    private static func fixedValues(_ filter: ResolvedFilter) -> [[UInt8]]? {
        switch (filter.comparator, filter.operand) {
        case (.equals, .value(let value)), (.listContains, .value(let value)): return key(value).map { [$0] }
        case (.in, .values(let values)) where values.count <= mostValues:
            let keys = values.compactMap(key)
            return keys.count == values.count ? Array(Set(keys)).sorted(by: { ByteOrder.compare($0, $1) < 0 }) : nil
        default: return nil
        }
    }

    /// How a value stands in the index. Long texts and bytes are cut, so that a place may hold too many but never too few.
    static func key(_ value: ScalarValue) -> [UInt8]? {
        IndexValue.orderedBytes(value).map { Array($0.prefix(QueryLimits.indexedValueSize)) }
    }
}

extension QueryableField {
    /// What stands for the field in the index of subscriptions.
    var watchedName: String {
        switch source {
        case .named(let name): name
        case .system(let field): field.rawValue
        }
    }

    /// The field that stands in the index of subscriptions under a name; nil if the type no longer has it.
    init?(watchedName name: String, in type: RecordTypeSchema) {
        let none = FieldIndex(kinds: [], number: IndexNumber(rawValue: 0))
        if let system = SystemField(rawValue: name) {
            self.init(system, index: none)
        } else if let field = type.fields[name] {
            self.init(field, index: none)
        } else {
            return nil
        }
    }

    /// The places that a record's value of this field touches.
    func watchedPlaces(of record: StoredRecord) -> [WatchedPlace] {
        let values: [ScalarValue]
        switch content(of: record) {
        case .scalar(let value)?: values = [value]
        case .list(let members)?: values = members
        case nil: return []
        }
        return Set(values.compactMap(WatchedPlace.key)).map {
            .value(type: record.recordType, field: watchedName, $0)
        }
    }
}
