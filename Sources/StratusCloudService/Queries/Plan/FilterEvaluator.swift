import StratusCloudModel

/// Whether a record satisfies a query's filters. This is the meaning of a query; indexes only find candidates.
///
/// A record that lacks a field satisfies no filter on it, negated ones included.
struct FilterEvaluator {
    let filters: [ResolvedFilter]
    /// The zone of the records, which references without a zone point into.
    let zone: ZoneID

    func matches(_ record: StoredRecord) throws(CloudError) -> Bool {
        for filter in filters where !(try matches(record, filter)) { return false }
        return true
    }

    private func matches(_ record: StoredRecord, _ filter: ResolvedFilter) throws(CloudError) -> Bool {
        if case .words(let terms) = filter.operand { return try matchesWords(record, filter, terms) }
        guard let content = filter.fields.first?.content(of: record) else { return false }
        switch (content, filter.operand) {
        case (.scalar(let stored), .value(let wanted)): return compare(stored, filter.comparator, wanted)
        case (.scalar(.location(let place)), .circle(let center, let radius)):
            return Geodesic.distance(place, center) <= radius
        case (.scalar(let stored), .values(let wanted)):
            let isAmong = wanted.contains { equal(stored, $0) }
            return filter.comparator == .notIn ? !isAmong : isAmong
        case (.list(let members), .value(let wanted)): return compareMembers(members, filter.comparator, wanted)
        case (.list(let members), .values(let wanted)): return compareMembers(members, filter.comparator, wanted)
        default: return false
        }
    }

    private func compare(_ stored: ScalarValue, _ comparator: Comparator, _ wanted: ScalarValue) -> Bool {
        switch comparator {
        case .equals: equal(stored, wanted)
        case .notEquals: !equal(stored, wanted)
        case .lessThan: order(stored, wanted) < 0
        case .lessThanOrEquals: order(stored, wanted) <= 0
        case .greaterThan: order(stored, wanted) > 0
        case .greaterThanOrEquals: order(stored, wanted) >= 0
        case .beginsWith: begins(stored, with: wanted)
        case .notBeginsWith: !begins(stored, with: wanted)
        default: false
        }
    }

    private func compareMembers(_ members: [ScalarValue], _ comparator: Comparator, _ wanted: ScalarValue) -> Bool {
        switch comparator {
        case .listContains: members.contains { equal($0, wanted) }
        case .notListContains: !members.contains { equal($0, wanted) }
        case .listMemberBeginsWith: members.contains { begins($0, with: wanted) }
        case .notListMemberBeginsWith: !members.contains { begins($0, with: wanted) }
        default: false
        }
    }

    private func compareMembers(_ members: [ScalarValue], _ comparator: Comparator, _ wanted: [ScalarValue]) -> Bool {
        func has(_ value: ScalarValue) -> Bool { members.contains { equal($0, value) } }
        switch comparator {
        case .listContainsAny: return wanted.contains(where: has)
        case .notListContainsAny: return !wanted.contains(where: has)
        case .listContainsAll: return wanted.allSatisfy(has)
        case .notListContainsAll: return !wanted.allSatisfy(has)
        default: return false
        }
    }

    private func equal(_ stored: ScalarValue, _ wanted: ScalarValue) -> Bool {
        switch (stored, wanted) {
        case (.location(let a), .location(let b)): a.latitude == b.latitude && a.longitude == b.longitude
        case (.reference(let a), .reference(let b)):
            ByteOrder.equal(a.recordName, b.recordName) && isSameZone(a.zoneID ?? zone, b.zoneID ?? a.zoneID ?? zone)
        default: order(stored, wanted) == 0
        }
    }

    /// The owner is left out: the caller's own name and its absence mean the same.
    private func isSameZone(_ a: ZoneID, _ b: ZoneID) -> Bool {
        guard let one = a.ownerRecordName, let other = b.ownerRecordName else {
            return ByteOrder.equal(a.zoneName, b.zoneName)
        }
        return ByteOrder.equal(a.zoneName, b.zoneName) && ByteOrder.equal(one, other)
    }

    private func order(_ stored: ScalarValue, _ wanted: ScalarValue) -> Int {
        switch (stored, wanted) {
        case (.string(let a), .string(let b)):
            return ByteOrder.equal(a, b) ? 0 : ByteOrder.precedes(a, b) ? -1 : 1
        case (.int64(let a), .int64(let b)): return a == b ? 0 : a < b ? -1 : 1
        default:
            guard let a = IndexValue.orderedBytes(stored), let b = IndexValue.orderedBytes(wanted) else { return -1 }
            return ByteOrder.compare(a, b)
        }
    }

    private func begins(_ stored: ScalarValue, with prefix: ScalarValue) -> Bool {
        guard case .string(let text) = stored, case .string(let prefix) = prefix else { return false }
        return text.utf8.starts(with: prefix.utf8)
    }

    private func matchesWords(
        _ record: StoredRecord, _ filter: ResolvedFilter, _ terms: [TokenTerm]
    ) throws(CloudError) -> Bool {
        guard !terms.isEmpty else { return false }
        var missing = Set(terms)
        for field in filter.fields {
            guard let content = field.content(of: record) else { continue }
            let text = try Tokenizer.text(of: content)
            missing = missing.filter { !$0.isIn(text) }
            if missing.isEmpty { return true }
        }
        return filter.comparator == .containsAnyTokens && missing.count < terms.count
    }
}
