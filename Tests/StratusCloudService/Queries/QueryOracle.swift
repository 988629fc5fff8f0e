import StratusCloudModel

@testable import StratusCloudService

/// What a query should answer, computed by looking at every record, without the code that is tested except the
/// splitting of texts into words and the distance of two places, which have tests of their own.
struct QueryOracle {
    let query: Query

    func matches(_ record: StoredRecord, in zone: ZoneID) -> Bool {
        query.filters.allSatisfy { matches(record, in: zone, $0) }
    }

    /// nil where neither comes first by the sort keys.
    func precedes(_ left: StoredRecord, _ right: StoredRecord) -> Bool? {
        for sort in query.sorts {
            let a = key(left, sort)
            let b = key(right, sort)
            switch (a, b) {
            case (nil, nil): continue
            case (nil, _): return false
            case (_, nil): return true
            case (let a?, let b?):
                if order(a, b) != 0 { return (order(a, b) < 0) == sort.ascending }
            }
        }
        return nil
    }

    private enum Value {
        case text([UInt8])
        case number(Double)
        case integer(Int64)
        /// Of places equally far, the cell decides.
        case place(Double, UInt64)
    }

    private func order(_ a: Value, _ b: Value) -> Int {
        switch (a, b) {
        case (.text(let a), .text(let b)):
            a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
        case (.number(let a), .number(let b)): a == b ? 0 : a < b ? -1 : 1
        case (.integer(let a), .integer(let b)): a == b ? 0 : a < b ? -1 : 1
        case (.place(let a, let cell), .place(let b, let other)):
            (a, cell) == (b, other) ? 0 : (a, cell) < (b, other) ? -1 : 1
        default: -1
        }
    }

    private func value(_ scalar: ScalarValue) -> Value? {
        switch scalar {
        case .string(let text): .text(Array(text.utf8))
        case .reference(let reference): .text(Array(reference.recordName.utf8))
        case .int64(let number): .integer(number)
        case .timestamp(let moment): .integer(moment.milliseconds)
        case .double(let number): .number(number)
        case .bytes(let bytes): .text(bytes)
        default: nil
        }
    }

    private func key(_ record: StoredRecord, _ sort: Sort) -> Value? {
        guard let scalar = content(record, sort.field).first, !isList(sort.field) else { return nil }
        if let center = sort.relativeLocation, case .location(let place) = scalar {
            let middle = Cell(place).center
            return .place(
                Geodesic.distance(center.latitude, center.longitude, middle.latitude, middle.longitude),
                Cell(place).rawValue)
        }
        return value(scalar)
    }

    private func isList(_ field: QueryField) -> Bool {
        if case .named(let name) = field { TestSchema.type.fields[name]?.type.isList ?? false } else { false }
    }

    /// nothing where the field is missing
    private func content(_ record: StoredRecord, _ field: QueryField) -> [ScalarValue] {
        switch field {
        case .named(let name):
            switch record.fields[name]?.value {
            case .scalar(let value)?: [value]
            case .list(_, let elements)?: elements
            case nil: []
            }
        case .system(.recordName): [.reference(Reference(recordName: record.recordName))]
        case .system(.createdUserRecordName): [.reference(Reference(recordName: record.created.userRecordName))]
        case .system(.createdTimestamp): [.timestamp(Timestamp(milliseconds: record.created.timestamp))]
        case .system(.parent): record.parent.map { [.reference($0)] } ?? []
        case .system: []
        }
    }

    private func has(_ record: StoredRecord, _ field: QueryField) -> Bool {
        if case .named(let name) = field { record.fields[name] != nil } else { !content(record, field).isEmpty }
    }

    private func matches(_ record: StoredRecord, in zone: ZoneID, _ filter: Filter) -> Bool {
        if filter.comparator == .containsAllTokens || filter.comparator == .containsAnyTokens {
            return matchesWords(record, filter)
        }
        guard let field = filter.field, has(record, field) else { return false }
        let members = content(record, field)
        let wanted: [ScalarValue]
        switch filter.value.value {
        case .scalar(let value): wanted = [value]
        case .list(let values):
            wanted = values.map {
                switch $0 {
                case .scalar(let value): value
                case .text(let text): .reference(Reference(recordName: text))
                default: .asset(Asset(fileChecksum: "", size: 0))
                }
            }
        case .text(let text):
            if case .reference? = members.first {
                wanted = [.reference(Reference(recordName: text))]
            } else {
                wanted = [.string(text)]
            }
        case .integer(let number): wanted = [.timestamp(Timestamp(milliseconds: number))]
        default: wanted = []
        }
        func equal(_ a: ScalarValue, _ b: ScalarValue) -> Bool {
            switch (a, b) {
            case (.location(let a), .location(let b)): return a.latitude == b.latitude && a.longitude == b.longitude
            case (.reference(let a), .reference(let b)):
                let sameZone = b.zoneID == nil || (a.zoneID ?? zone).zoneName == b.zoneID?.zoneName
                return Array(a.recordName.utf8) == Array(b.recordName.utf8) && sameZone
            default: return compare(a, b) == 0
            }
        }
        func compare(_ a: ScalarValue, _ b: ScalarValue) -> Int {
            guard let a = value(a), let b = value(b) else { return -1 }
            return order(a, b)
        }
        func begins(_ a: ScalarValue) -> Bool {
            guard case .string(let text) = a, case .string(let prefix)? = wanted.first else { return false }
            return Array(text.utf8).starts(with: Array(prefix.utf8))
        }
        func isMember(_ value: ScalarValue) -> Bool { members.contains { equal($0, value) } }
        let comparison = members.first.flatMap { first in wanted.first.map { compare(first, $0) } } ?? 0
        switch filter.comparator {
        case .equals: return equal(members[0], wanted[0])
        case .notEquals: return !equal(members[0], wanted[0])
        case .lessThan: return comparison < 0
        case .lessThanOrEquals: return comparison <= 0
        case .greaterThan: return comparison > 0
        case .greaterThanOrEquals: return comparison >= 0
        case .near:
            guard case .location(let a) = members[0], case .location(let b) = wanted[0] else { return false }
            return Geodesic.distance(a, b) <= filter.distance ?? -1
        case .in, .listContainsAny: return wanted.contains(where: isMember)
        case .notIn, .notListContainsAny: return !wanted.contains(where: isMember)
        case .listContains: return isMember(wanted[0])
        case .notListContains: return !isMember(wanted[0])
        case .listContainsAll: return wanted.allSatisfy(isMember)
        case .notListContainsAll: return !wanted.allSatisfy(isMember)
        case .beginsWith, .listMemberBeginsWith: return members.contains(where: begins)
        case .notBeginsWith, .notListMemberBeginsWith: return !members.contains(where: begins)
        case .containsAllTokens, .containsAnyTokens: return false
        }
    }

    private func matchesWords(_ record: StoredRecord, _ filter: Filter) -> Bool {
        guard case .text(let search) = filter.value.value, let terms = try? Tokenizer.terms(ofSearch: search),
            !terms.isEmpty
        else { return false }
        let fields: [QueryField] = filter.field.map { [$0] } ?? [.named("text"), .named("texts")]
        let texts = fields.flatMap { content(record, $0) }.compactMap { value in
            try? Tokenizer.text(of: .scalar(value))
        }
        let found = terms.filter { term in texts.contains { term.isIn($0) } }
        return filter.comparator == .containsAllTokens ? found.count == terms.count : !found.isEmpty
    }
}
