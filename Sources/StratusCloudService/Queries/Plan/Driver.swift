import StratusCloudModel
import StratusCloudStore

/// Index ranges whose entries name all records that can satisfy a filter, and perhaps others.
struct Driver: Sendable {
    enum Shape: Int, Hashable, Sendable, Comparable {
        // In the order in which a planner that knows nothing of sizes would choose.
        case names, equality, place, members, prefix, range, exclusion, all

        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    let shape: Shape
    /// Ascending, apart from each other, all under one tag.
    let ranges: [KeyRange]
    let tag: Keyspace.Tag
    let layout: IndexEntry.Layout
    /// The fields whose entries they are.
    let fields: [QueryableField]
    /// Whether a record can have several entries in the ranges.
    let repeats: Bool
    let description: String

    /// Whether the entries are in the order of the record names: one value only.
    var isInNameOrder: Bool {
        ranges.count <= 1 && (shape == .equality || shape == .names || shape == .all)
    }

    /// Whether a record's entry at `key` is its first in the ranges, so that it is counted once.
    func isFirstEntry(_ key: Key, of record: StoredRecord, zone: ZoneNumber) throws(CloudError) -> Bool {
        guard repeats else { return true }
        var first: Key?
        for field in fields {
            for other in try IndexMaintenance.keys(of: record, field: field, tag, zone: zone)
            where ranges.contains(where: { $0.contains(other) }) {
                if let known = first, known < other { continue }
                first = other
            }
        }
        return first == nil || first == key
    }

    /// All records of a type, by name.
    static func all(of type: String, zone: ZoneNumber) -> Driver {
        Driver(
            shape: .all, ranges: [KeyRange(prefix: TypeIndex.prefix(zone: zone, type: type).key)], tag: .index,
            layout: .type, fields: [], repeats: false, description: "all records of type \(type) by record name")
    }
}

/// Finds the drivers of a filter in one zone.
struct DriverFactory {
    let recordType: String
    let zone: ZoneNumber

    /// Ways to find the filter's candidates; any one of them finds them all.
    func drivers(for filter: ResolvedFilter) -> [Driver] {
        guard let field = filter.fields.first else { return [] }
        switch filter.operand {
        case .words(let terms): return words(terms, filter)
        case .circle(let center, let radius): return [circle(center, radius, field, filter)]
        case .value(let value):
            if field.type.isList { return [member(value, field, filter)] }
            if field.type.scalar == .location { return [places([value], field, filter)] }
            return [field.isRecordName ? names([value], filter) : scalar(value, field, filter)]
        case .values(let values):
            if field.type.isList { return members(values, field, filter) }
            if field.type.scalar == .location { return [places(values, field, filter)] }
            return [field.isRecordName ? names(values, filter) : equalities(values, field, filter)]
        }
    }

    /// All entries of a field that is not a list and not a place.
    func everything(in field: QueryableField) -> KeyRange {
        field.isRecordName
            ? KeyRange(prefix: TypeIndex.prefix(zone: zone, type: recordType).key)
            : KeyRange(prefix: field.prefix(.index, zone: zone).key)
    }

    /// All entries with a value.
    func entries(of bytes: [UInt8], in field: QueryableField) -> KeyRange {
        if field.isRecordName {
            var encoder = TypeIndex.prefix(zone: zone, type: recordType)
            encoder.append(rest: bytes)
            return KeyRange(lower: encoder.key, upper: encoder.key.next)
        }
        var encoder = field.prefix(.index, zone: zone)
        IndexValue.append(bytes, of: field.type.scalar, to: &encoder)
        return KeyRange(prefix: encoder.key)
    }

    // MARK: - Scalars

    private func scalar(_ value: ScalarValue, _ field: QueryableField, _ filter: ResolvedFilter) -> Driver {
        let all = everything(in: field)
        let bytes = IndexValue.orderedBytes(value) ?? []
        let isAmbiguous = IndexValue.isAmbiguous(bytes, of: field.type.scalar)
        let equal = entries(of: bytes, in: field)
        let (start, end) = (equal.lower, equal.upper)
        // An ambiguous entry may stand for a value on either side.
        let below = KeyRange(lower: all.lower, upper: isAmbiguous ? end : start)
        let above = KeyRange(lower: isAmbiguous ? start : end, upper: all.upper)
        switch filter.comparator {
        case .equals: return driver(.equality, [equal], field, filter)
        case .notEquals:
            // A reference into another zone is another one, though its entry has the same value.
            let isOther = isAmbiguous || field.type.scalar == .reference
            return driver(.exclusion, isOther ? [all] : [below, above], field, filter)
        case .lessThan: return driver(.range, [below], field, filter)
        case .lessThanOrEquals: return driver(.range, [KeyRange(lower: all.lower, upper: end)], field, filter)
        case .greaterThan: return driver(.range, [above], field, filter)
        case .greaterThanOrEquals: return driver(.range, [KeyRange(lower: start, upper: all.upper)], field, filter)
        case .beginsWith:
            var encoder = field.prefix(.index, zone: zone)
            encoder.append(prefix: bytes.prefix(QueryLimits.indexedValueSize))
            return driver(.prefix, [KeyRange(prefix: encoder.key)], field, filter)
        default: return driver(.exclusion, [all], field, filter)
        }
    }

    private func equalities(_ values: [ScalarValue], _ field: QueryableField, _ filter: ResolvedFilter) -> Driver {
        guard filter.comparator == .in else { return driver(.exclusion, [everything(in: field)], field, filter) }
        let ranges = values.compactMap(IndexValue.orderedBytes).map { entries(of: $0, in: field) }
        return driver(.equality, ranges, field, filter)
    }

    /// Record names: the type index has one entry for each, whole.
    private func names(_ values: [ScalarValue], _ filter: ResolvedFilter) -> Driver {
        let all = Driver.all(of: recordType, zone: zone)
        guard filter.comparator == .equals || filter.comparator == .in else { return all }
        let ranges = filter.fields.flatMap { field in
            values.compactMap(IndexValue.orderedBytes).map { entries(of: $0, in: field) }
        }
        return Driver(
            shape: .names, ranges: Self.apart(ranges), tag: .index, layout: .type, fields: filter.fields,
            repeats: false, description: filter.description)
    }

    private func driver(
        _ shape: Driver.Shape, _ ranges: [KeyRange], _ field: QueryableField, _ filter: ResolvedFilter
    ) -> Driver {
        Driver(
            shape: shape, ranges: Self.apart(ranges), tag: .index, layout: .value(field.type.scalar), fields: [field],
            repeats: false, description: filter.description)
    }

    // MARK: - Lists

    private func member(_ value: ScalarValue, _ field: QueryableField, _ filter: ResolvedFilter) -> Driver {
        switch filter.comparator {
        case .listContains: return list(.equality, [members(equalTo: value, field)], field, filter)
        case .listMemberBeginsWith:
            var encoder = field.prefix(.index, zone: zone)
            encoder.append(byte: IndexMaintenance.listMember)
            let bytes = IndexValue.orderedBytes(value) ?? []
            encoder.append(prefix: bytes.prefix(QueryLimits.indexedValueSize))
            return list(.prefix, [KeyRange(prefix: encoder.key)], field, filter)
        default: return list(.exclusion, [everything(in: field)], field, filter)
        }
    }

    private func members(_ values: [ScalarValue], _ field: QueryableField, _ filter: ResolvedFilter) -> [Driver] {
        let ranges = values.map { members(equalTo: $0, field) }
        switch filter.comparator {
        case .listContainsAny: return [list(.members, ranges, field, filter)]
        case .listContainsAll where !values.isEmpty: return ranges.map { list(.equality, [$0], field, filter) }
        default: return [list(.exclusion, [everything(in: field)], field, filter)]
        }
    }

    private func members(equalTo value: ScalarValue, _ field: QueryableField) -> KeyRange {
        var encoder = field.prefix(.index, zone: zone)
        encoder.append(byte: IndexMaintenance.listMember)
        IndexValue.append(IndexValue.orderedBytes(value) ?? [], of: field.type.scalar, to: &encoder)
        return KeyRange(prefix: encoder.key)
    }

    private func list(
        _ shape: Driver.Shape, _ ranges: [KeyRange], _ field: QueryableField, _ filter: ResolvedFilter
    ) -> Driver {
        Driver(
            shape: shape, ranges: Self.apart(ranges), tag: .index, layout: .member(field.type.scalar),
            fields: [field], repeats: shape != .equality, description: filter.description)
    }

    // MARK: - Places and words

    private func circle(
        _ center: Location, _ radius: Double, _ field: QueryableField, _ filter: ResolvedFilter
    ) -> Driver {
        let cover = CellCover(center: center, outer: radius)
        return cells(.place, cover.ranges, field, filter)
    }

    private func places(_ values: [ScalarValue], _ field: QueryableField, _ filter: ResolvedFilter) -> Driver {
        guard filter.comparator == .equals || filter.comparator == .in else {
            return cells(.exclusion, [0...UInt64.max], field, filter)
        }
        let cells = values.compactMap { value -> ClosedRange<UInt64>? in
            guard case .location(let place) = value else { return nil }
            let cell = Cell(place).rawValue
            return cell...cell
        }
        return self.cells(.equality, cells, field, filter)
    }

    private func cells(
        _ shape: Driver.Shape, _ cells: [ClosedRange<UInt64>], _ field: QueryableField, _ filter: ResolvedFilter
    ) -> Driver {
        Driver(
            shape: shape, ranges: Self.apart(cells.map { range(of: $0, in: field) }), tag: .cell, layout: .cell,
            fields: [field], repeats: false, description: filter.description)
    }

    /// The keys of all places in some cells.
    func range(of cells: ClosedRange<UInt64>, in field: QueryableField) -> KeyRange {
        var lower = field.prefix(.cell, zone: zone)
        lower.append(bigEndian: cells.lowerBound)
        var last = field.prefix(.cell, zone: zone)
        last.append(bigEndian: cells.upperBound)
        return KeyRange(lower: lower.key, upper: last.key.afterAllWithThisPrefix)
    }

    private func words(_ terms: [TokenTerm], _ filter: ResolvedFilter) -> [Driver] {
        if filter.comparator == .containsAnyTokens || terms.isEmpty {
            return [tokens(terms.compactMap(\.tokens.first), filter)]
        }
        return Set(terms.flatMap(\.tokens)).sorted { Key($0) < Key($1) }.map { tokens([$0], filter) }
    }

    private func tokens(_ tokens: [[UInt8]], _ filter: ResolvedFilter) -> Driver {
        let ranges = filter.fields.flatMap { field in
            tokens.map { token in
                var encoder = field.prefix(.token, zone: zone)
                encoder.append(escaped: token)
                return KeyRange(prefix: encoder.key)
            }
        }
        let apart = Self.apart(ranges)
        return Driver(
            shape: apart.count <= 1 ? .equality : .members, ranges: apart, tag: .token, layout: .token,
            fields: filter.fields, repeats: apart.count > 1, description: filter.description)
    }

    /// Sorts ranges and joins those that overlap.
    private static func apart(_ ranges: [KeyRange]) -> [KeyRange] {
        var result: [KeyRange] = []
        for range in ranges.sorted(by: { $0.lower < $1.lower }) where !range.isEmpty {
            if let last = result.last, range.lower < last.upper {
                if last.upper < range.upper { result[result.count - 1].upper = range.upper }
            } else {
                result.append(range)
            }
        }
        return result
    }
}
