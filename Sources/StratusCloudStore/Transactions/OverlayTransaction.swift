/// A write transaction over any reader: it collects what is written, and reads its own writes.
final class OverlayTransaction: WriteTransaction {
    private let base: any ReadTransaction
    // Nothing that is called while one of these changes knows the transaction, so that no two accesses can meet; to look
    // for them each time would be a hundredth of what the writer does for a save.
    @exclusivity(unchecked) private var sorted = WriteOverlay()
    /// Writes behind the sorted ones. Only reading or clearing a range, and the end, want them sorted.
    @exclusivity(unchecked) private var recent = WriteJournal()
    /// What the keys of the recent ones begin with.
    @exclusivity(unchecked) private var recentKinds = FirstBytes()
    /// Bytes of keys and values written so far.
    @exclusivity(unchecked) private var size = 0
    /// The first limit that was exceeded; writing cannot throw, so ``checkLimits()`` does.
    private var violation: StoreError?

    init(over base: any ReadTransaction) { self.base = base }

    func get(_ keys: [Key]) throws -> [[UInt8]?] {
        guard hasWritten else { return try base.get(keys) }
        if keys.count == 1 {
            if let written = written(keys[0]) { return [written] }
            return try base.get(keys)
        }
        var result: [[UInt8]?] = []
        result.reserveCapacity(keys.count)
        var asked: [(position: Int, key: Key)] = []
        for (position, key) in keys.enumerated() {
            if let written = written(key) {
                result.append(written)
            } else {
                result.append(nil)
                asked.append((position, key))
            }
        }
        guard !asked.isEmpty else { return result }
        for (question, value) in zip(asked, try base.get(asked.map(\.key))) { result[question.position] = value }
        return result
    }

    func entries(in range: KeyRange, limit: Int, reverse: Bool) throws -> [StoreEntry] {
        guard limit > 0, !range.isEmpty else { return [] }
        // Writes of other kinds need not be in order for that.
        if recentKinds.mayHold(range) { sort() }
        guard sorted.touches(range) else { return try base.entries(in: range, limit: limit, reverse: reverse) }
        var merge = OverlayMerge(overlay: sorted, base: base, range: range, reverse: reverse)
        return try merge.take(limit)
    }

    func set(_ key: Key, _ value: [UInt8]) {
        if value.count > StoreLimits.valueSize {
            violate("a value of \(value.count) bytes is over the limit of \(StoreLimits.valueSize) (valueSize)")
        }
        guard count(key, bytes: value.count) else { return }
        recentKinds.insert(key)
        recent.append(key, value)
    }

    func clear(_ key: Key) {
        guard count(key, bytes: 0) else { return }
        recentKinds.insert(key)
        recent.append(key, nil)
    }

    func clear(_ range: KeyRange) {
        guard violation == nil else { return }
        sort()
        sorted.clear(range)
    }

    /// Adds the writes of a transaction that ran over this one and succeeded.
    func absorb(_ later: OverlayTransaction) {
        size += later.size
        if !later.sorted.isEmpty {
            sort()
            sorted.absorb(later.sorted)
        }
        recentKinds.formUnion(later.recentKinds)
        recent.append(later.recent)
    }

    /// Whether anything was written.
    var hasWritten: Bool { !recent.isEmpty || !sorted.isEmpty }

    /// Hands over what was written; the transaction is not used any more.
    func takeWrites() -> FinishedWrites {
        guard !sorted.isEmpty else {
            defer { recent = WriteJournal() }
            return FinishedWrites(recent)
        }
        sort()
        defer { sorted = WriteOverlay() }
        return FinishedWrites(sorted)
    }

    /// Bytes of keys and values written so far.
    var writtenSize: Int { size }

    /// - Throws: ``StoreError/Code/tooLarge`` if something over a limit of ``StoreLimits`` was written.
    func checkLimits() throws(StoreError) {
        if let violation { throw violation }
    }

    private func sort() {
        guard !recent.isEmpty else { return }
        sorted.make(recent)
        recent = WriteJournal()
        recentKinds = FirstBytes()
    }

    /// Like ``WriteOverlay/value(of:)``, for all writes.
    private func written(_ key: Key) -> [UInt8]?? {
        recent.value(of: key) ?? sorted.value(of: key)
    }

    /// Counts a write towards the limits; false if it must not be made.
    private func count(_ key: Key, bytes: Int) -> Bool {
        if key.bytes.count > StoreLimits.keySize {
            violate("a key of \(key.bytes.count) bytes is over the limit of \(StoreLimits.keySize) (keySize)")
        }
        size += key.bytes.count + bytes
        if size > StoreLimits.transactionSize {
            violate("a transaction writes more than \(StoreLimits.transactionSize) bytes (transactionSize)")
        }
        return violation == nil
    }

    private func violate(_ message: String) {
        if violation == nil { violation = StoreError(.tooLarge, message) }
    }
}
