import StratusCloudModel

/// The zones of key-value stores: one record for each key. See ``KeyValueFormat``.
enum KeyValueStoreZone: ReservedZone {
    static let zonesPerDatabase = KeyValueFormat.storesPerDatabase

    static let recordTypes = [
        RecordTypeSchema(
            name: KeyValueFormat.recordType,
            fields: Dictionary(
                uniqueKeysWithValues: [
                    (KeyValueFormat.keyField, ScalarType.string), (KeyValueFormat.valueField, .bytes),
                    (KeyValueFormat.ageField, .int64),
                ].map { ($0.0, FieldSchema(name: $0.0, type: FieldType($0.1))) }),
            systemFields: [.recordName: FieldIndex(kinds: .queryable, number: ReservedZones.indexNumber(1))])
    ]

    /// A value may fill the store, so its record needs room for the rest beside it.
    static let recordSize = KeyValueFormat.valueSize + 4_096

    static func owns(_ zoneName: String) -> Bool { KeyValueFormat.isZoneName(zoneName) }

    /// Checks each record by itself, that no change takes the place of a later one, and then what the store as a whole
    /// may hold.
    static func refusals(of batch: ReservedZoneBatch) throws -> [Int: CloudError] {
        var refusals: [Int: CloudError] = [:]
        var accepted: [ReservedZoneBatch.Change] = []
        for change in batch.changes {
            do throws(CloudError) {
                try check(change, batch)
                accepted.append(change)
            } catch {
                refusals[change.index] = error
            }
        }
        guard accepted.contains(where: { grows($0) }) else { return refusals }
        var holdings = KeyValueHoldings()
        for record in try batch.records(limit: .max) { holdings.add(record) }
        // What makes room counts first, wherever it stands in the batch: all is one commit.
        for change in accepted where !grows(change) { holdings.apply(change) }
        for change in accepted where grows(change) {
            do throws(CloudError) {
                try holdings.checkRoom(for: change)
                holdings.apply(change)
            } catch {
                refusals[change.index] = error
            }
        }
        return refusals
    }

    /// Whether the store holds more of anything after a change.
    private static func grows(_ change: ReservedZoneBatch.Change) -> Bool {
        guard let after = change.after.map(KeyValueEntry.init) else { return false }
        guard let before = change.before.map(KeyValueEntry.init) else { return true }
        return after.isRemoved != before.isRemoved || (after.valueSize ?? 0) > (before.valueSize ?? 0)
    }

    /// Milliseconds by which saves of a key one right after the other may get ahead of the server's clock.
    ///
    /// A record that is further ahead was saved before the clock was set back. Until that time comes again, the times of
    /// changes cannot be compared, and the one that arrives last wins.
    private static let lead: Int64 = 100

    private static func check(_ change: ReservedZoneBatch.Change, _ batch: ReservedZoneBatch) throws(CloudError) {
        guard let after = change.after else {
            guard let before = change.before, !KeyValueEntry(before).isRemoved else { return }
            throw CloudError(
                .badRequest,
                "record '\(change.recordName)' has a value: save it without field '\(KeyValueFormat.valueField)' to "
                    + "remove the key")
        }
        let entry = KeyValueEntry(after)
        try entry.check(recordName: change.recordName)
        guard after.parent == nil else {
            throw CloudError(.badRequest, "record '\(change.recordName)' of a key-value store has no parent")
        }
        guard let before = change.before, before.modified.timestamp <= batch.now + lead,
            entry.changed < KeyValueEntry(before).changed
        else { return }
        throw batch.conflict(
            before, "record '\(change.recordName)' has a later change than one of \(entry.age ?? 0) ms ago")
    }
}

/// What a record says of its key.
private struct KeyValueEntry {
    let key: String?
    let valueSize: Int?
    let age: Int64?
    /// When the device made the change, by the server's clock.
    let changed: Int64

    var isRemoved: Bool { valueSize == nil }

    init(_ record: StoredRecord) {
        key = if case .scalar(.string(let key))? = record.fields[KeyValueFormat.keyField]?.value { key } else { nil }
        valueSize =
            if case .scalar(.bytes(let bytes))? = record.fields[KeyValueFormat.valueField]?.value {
                bytes.count
            } else { nil }
        age = if case .scalar(.int64(let age))? = record.fields[KeyValueFormat.ageField]?.value { age } else { nil }
        changed = record.modified.timestamp &- (age ?? 0)
    }

    func check(recordName: String) throws(CloudError) {
        guard let key else {
            throw CloudError(.badRequest, "record '\(recordName)' has no field '\(KeyValueFormat.keyField)'")
        }
        guard (1...KeyValueFormat.keyLength).contains(key.utf8.count) else {
            throw CloudError(
                .badRequest,
                "the key of record '\(recordName)' has \(key.utf8.count) bytes: it needs 1 to "
                    + "\(KeyValueFormat.keyLength)")
        }
        let name = KeyValueFormat.recordName(forKey: key)
        guard name == recordName else {
            throw CloudError(.badRequest, "record '\(recordName)' has to be named '\(name)' for its key")
        }
        guard let age, (0...KeyValueFormat.longestAge).contains(age) else {
            throw CloudError(
                .badRequest,
                "record '\(recordName)' needs a field '\(KeyValueFormat.ageField)' of 0 to "
                    + "\(KeyValueFormat.longestAge) milliseconds")
        }
        if let valueSize, valueSize > KeyValueFormat.valueSize {
            throw CloudError(
                .quotaExceeded,
                "the value of record '\(recordName)' has \(valueSize) bytes, which is more than the maximum of "
                    + "\(KeyValueFormat.valueSize)")
        }
    }
}

/// What a store holds.
private struct KeyValueHoldings {
    private var keys = 0
    private var removedKeys = 0
    private var size = 0

    mutating func add(_ record: StoredRecord, count: Int = 1) {
        guard let valueSize = KeyValueEntry(record).valueSize else { return removedKeys += count }
        keys += count
        size += count * valueSize
    }

    mutating func apply(_ change: ReservedZoneBatch.Change) {
        if let before = change.before { add(before, count: -1) }
        if let after = change.after { add(after) }
    }

    func checkRoom(for change: ReservedZoneBatch.Change) throws(CloudError) {
        var rest = self
        rest.apply(change)
        let (noun, count, maximum) =
            if rest.keys > keys, rest.keys > KeyValueFormat.keysPerStore {
                ("keys", rest.keys, KeyValueFormat.keysPerStore)
            } else if rest.size > size, rest.size > KeyValueFormat.storeSize {
                ("bytes of values", rest.size, KeyValueFormat.storeSize)
            } else if rest.removedKeys > removedKeys, rest.removedKeys > KeyValueFormat.removedKeysPerStore {
                ("removed keys", rest.removedKeys, KeyValueFormat.removedKeysPerStore)
            } else {
                ("", 0, 0)
            }
        guard count > maximum else { return }
        throw CloudError(
            .quotaExceeded,
            "the key-value store would have \(count) \(noun) with record '\(change.recordName)', which is more than "
                + "the maximum of \(maximum)")
    }
}
