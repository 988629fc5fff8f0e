import StratusCloudModel

/// Indexes come and go under numbers of their own, so that what one left is never taken for another's.
extension Schema {
    mutating func newNumber() -> IndexNumber {
        defer { nextIndexNumber += 1 }
        return IndexNumber(rawValue: nextIndexNumber)
    }

    mutating func newIndex(_ kinds: FieldIndex.Kinds) -> FieldIndex { FieldIndex(kinds: kinds, number: newNumber()) }

    /// Makes the indexes of a field that records may have what is wanted.
    ///
    /// What the entries that there are can answer is there at once. Else an index is built anew under another number,
    /// and what remains of the former one serves until it is complete.
    mutating func adjust(_ index: inout FieldIndex?, _ building: inout FieldIndex?, to kinds: FieldIndex.Kinds) {
        if let known = index, kinds.entries.isSubset(of: known.kinds.entries), !kinds.isEmpty {
            if let unfinished = building { droppedIndexes.append(unfinished.number) }
            building = nil
            index = FieldIndex(kinds: kinds, number: known.number)
            return
        }
        if let known = index {
            let rest = known.kinds.intersection(kinds)
            if rest.isEmpty { droppedIndexes.append(known.number) }
            index = rest.isEmpty ? nil : FieldIndex(kinds: rest, number: known.number)
        }
        if let unfinished = building {
            if kinds.entries == unfinished.kinds.entries {
                building = FieldIndex(kinds: kinds, number: unfinished.number)
                return
            }
            droppedIndexes.append(unfinished.number)
        }
        building = kinds.isEmpty ? nil : newIndex(kinds)
    }

    /// The indexes that were being built are complete, and take the place of the former ones.
    mutating func finishBuilding(_ numbers: Set<IndexNumber>, of recordType: String) {
        guard var type = recordTypes[recordType] else { return }
        for (name, field) in type.fields {
            guard let building = field.building, numbers.contains(building.number) else { continue }
            if let former = field.index { droppedIndexes.append(former.number) }
            type.fields[name]?.index = building
            type.fields[name]?.building = nil
        }
        for (field, building) in type.systemFieldsBuilding where numbers.contains(building.number) {
            if let former = type.systemFields[field] { droppedIndexes.append(former.number) }
            type.systemFields[field] = building
            type.systemFieldsBuilding[field] = nil
        }
        recordTypes[recordType] = type
    }

    /// Takes note of what an index leaves behind.
    mutating func drop(_ field: FieldSchema) {
        droppedIndexes += [field.index, field.building].compactMap { $0?.number }
    }

    mutating func drop(_ type: RecordTypeSchema) {
        for field in type.fields.values { drop(field) }
        droppedIndexes += type.systemFields.filter { $0.key != .recordName }.map(\.value.number)
        droppedIndexes += type.systemFieldsBuilding.values.map(\.number)
    }
}

extension FieldIndex.Kinds {
    /// Which entries an index has: equality and order share theirs.
    fileprivate var entries: FieldIndex.Kinds {
        var entries = intersection(.searchable)
        if !isDisjoint(with: [.queryable, .sortable]) { entries.insert(.queryable) }
        return entries
    }
}
