import StratusCloudModel
import StratusSeeds

@testable import StratusCloudService

/// Random values from small pools, so that records agree with each other and with queries, beside extreme ones.
struct RandomRecords {
    var generator: SeededRandom

    static let texts = [
        "", "a", "A", "ab", "abc", "b", "é", "e\u{301}", "ß", "straße", "the cat", "The Dog sat", "中国人", "日本語テキスト",
        "🎉 party", "\u{0}", "a\u{0}b", "\u{FFFF}", String(repeating: "x", count: 255),
        String(repeating: "x", count: 256), String(repeating: "x", count: 257), String(repeating: "x", count: 300),
        String(repeating: "x", count: 256) + "y", String(repeating: "é", count: 128) + "z",
        String(repeating: "é", count: 129),
    ]
    static let integers: [Int64] = [.min, .min + 1, -256, -1, 0, 1, 2, 3, 255, 256, .max - 1, .max]
    static let fractions: [Double] = [
        -.infinity, -.greatestFiniteMagnitude, -1.5, -.leastNonzeroMagnitude, -0.0, 0.0, .leastNonzeroMagnitude, 0.1,
        1.5, 1e300, .infinity,
    ]
    /// With zeros, bytes that no UTF-8 has, beginnings of each other, and what agrees in all that an entry holds.
    static let data: [[UInt8]] = [
        [], [0], [0, 0], [0, 1], [0, 0xFF], [1], [1, 2, 3], [1, 2, 3, 0], [0x7F], [0x80], [0xFF], [0xFF, 0],
        [0xFF, 0xFF],
        Array(repeating: 0, count: 255), Array(repeating: 0, count: 256), Array(repeating: 0, count: 257),
        Array(repeating: 0xFF, count: 256), Array(repeating: 0xFF, count: 256) + [0],
        Array(repeating: 0xFF, count: 300),
        Array(repeating: 0xFF, count: 255) + [0xFE, 0xFF], Array(repeating: 0xFF, count: 255) + [0xFE, 0xFF, 1],
    ]
    static let names = ["target", "other", "a", "z", "ä"]
    static let searches = [
        "cat", "DOG sat", "e", "strasse", "国", "中国", "the", "party", "🎉", "none", "", "cat 中国", "a b",
    ]

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &generator)]
    }

    mutating func location() -> Location {
        let latitudes: [Double] = [-90, -89.9999, -45, -0.00001, 0, 0.00001, 45, 52.52, 52.5201, 89.9999, 90]
        let longitudes: [Double] = [-180, -179.9999, -90, -0.00001, 0, 13.4, 13.4001, 179.9999, 180]
        return generator.chance(30)
            ? Location(
                latitude: .random(in: -90...90, using: &generator),
                longitude: .random(in: -180...180, using: &generator))
            : Location(latitude: pick(latitudes), longitude: pick(longitudes))
    }

    mutating func scalar(_ type: ScalarType) -> ScalarValue {
        switch type {
        case .string: .string(pick(Self.texts))
        case .int64: .int64(pick(Self.integers))
        case .double: .double(pick(Self.fractions))
        case .timestamp: .timestamp(Timestamp(milliseconds: pick(Self.integers)))
        case .location: .location(location())
        case .reference:
            .reference(
                Reference(
                    recordName: pick(Self.names), zoneID: generator.chance(20) ? ZoneID(zoneName: "Notes") : nil))
        case .bytes: .bytes(pick(Self.data))
        case .asset: .asset(Asset(fileChecksum: "c", size: 3))
        }
    }

    mutating func record(_ name: String) -> StoredRecord {
        var fields = FieldMap()
        for field in TestSchema.type.fields.values.sorted(by: { $0.name < $1.name }) where generator.chance(75) {
            if field.type.isList {
                let elements = (0..<Int.random(in: 0...4, using: &generator)).map { _ in scalar(field.type.scalar) }
                fields[field.name] = Field(.list(of: field.type.scalar, elements: elements))
            } else {
                fields[field.name] = Field(.scalar(scalar(field.type.scalar)), isEncrypted: field.type.isEncrypted)
            }
        }
        var record = TestSchema.record(name, fields, created: .random(in: 0...3, using: &generator))
        record.created.userRecordName = pick(["_u", "_v"])
        if generator.chance(30) { record.parent = Reference(recordName: pick(Self.names)) }
        return record
    }

    /// Bounds small enough that 120 records meet all of them.
    mutating func work() -> QueryWork {
        guard generator.chance(80) else { return QueryWork() }
        return QueryWork(
            keysPerPage: pick([30, 60, 200]), recordsPerPage: pick([10, 50, 200]),
            bytesPerPage: pick([100, 5_000, 1_000_000]), recordsPerFetch: pick([1, 5, 100]),
            keysPerRead: pick([3, 16, 1_024]), keysPerCell: pick([2, 5, 256]),
            probes: pick([[2], [1, 5], [64, 512]]), probedRanges: pick([1, 16]),
            recordsSortedInMemory: pick([3, 10, 20, 1_000]), looksAtPackedFields: pick([1, 8]),
            leastKeysPerZone: pick([10, 64]))
    }

    // MARK: - Queries

    mutating func query(of types: [StratusCloudModel.Comparator]) -> Query {
        let filters = (0..<pick([0, 1, 1, 1, 2, 3])).compactMap { _ in filter(pick(types)) }
        let sorts = (0..<pick([0, 1, 1, 2, 3])).map { _ in sort() }
        return Query(recordType: "Thing", filters: filters, sorts: sorts)
    }

    mutating func sort() -> Sort {
        if generator.chance(20) { return Sort(.named("place"), relativeLocation: location()) }
        let fields: [QueryField] = [
            .named("text"), .named("integer"), .named("fraction"), .named("moment"), .named("data"),
            .system(.recordName),
            .system(.createdTimestamp), .system(.createdUserRecordName), .system(.parent),
        ]
        return Sort(pick(fields), ascending: generator.chance(50))
    }

    mutating func filter(_ comparator: StratusCloudModel.Comparator) -> Filter {
        let field = TestSchema.type.fields.values.sorted { $0.name < $1.name }.filter {
            $0.index != nil && ComparatorRule(comparator).applies(to: $0.type)
        }
        if [.containsAllTokens, .containsAnyTokens].contains(comparator) {
            let name: QueryField? = generator.chance(30) ? nil : .named(pick(field).name)
            return Filter(comparator, name, FieldInput(.text(pick(Self.searches))))
        }
        if generator.chance(15), let system = systemFilter(comparator) { return system }
        let chosen = pick(field)
        if comparator == .near {
            let radius = pick([0, 1, 20, 100_000, 5_000_000, 19_900_000, 30_000_000])
            return Filter(comparator, chosen.name, .scalar(scalar(.location)), distance: Double(radius))
        }
        if ComparatorRule(comparator).takesList {
            let values = (0..<Int.random(in: 0...4, using: &generator)).map { _ in
                InputValue.scalar(scalar(chosen.type.scalar))
            }
            return Filter(comparator, chosen.name, .list(values))
        }
        if [.beginsWith, .notBeginsWith, .listMemberBeginsWith, .notListMemberBeginsWith].contains(comparator) {
            let text = pick(Self.texts)
            return Filter(comparator, chosen.name, .text(String(text.prefix(generator.chance(50) ? 1 : 400))))
        }
        return Filter(comparator, chosen.name, .scalar(scalar(chosen.type.scalar)))
    }

    private mutating func systemFilter(_ comparator: StratusCloudModel.Comparator) -> Filter? {
        switch comparator {
        case .equals, .notEquals:
            Filter(
                comparator, .system(pick([.recordName, .createdUserRecordName, .parent])),
                FieldInput(.text(pick(["n1", "n2", "_u", "target"]))))
        case .in, .notIn:
            Filter(comparator, .system(.recordName), FieldInput(.list([.text("n3"), .text("n1"), .text("none")])))
        case .lessThan, .greaterThanOrEquals:
            Filter(
                comparator, .system(.createdTimestamp), FieldInput(.integer(.random(in: 0...3, using: &generator))))
        default: nil
        }
    }
}
