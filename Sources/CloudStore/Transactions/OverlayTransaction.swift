/// A write transaction over any reader: it collects what is written, and reads its own writes.
final class OverlayTransaction: WriteTransaction {
    private let base: any ReadTransaction
    private(set) var overlay = WriteOverlay()
    /// Bytes of keys and values written so far.
    private var size = 0
    /// The first limit that was exceeded; writing cannot throw, so ``checkLimits()`` does.
    private var violation: StoreError?

    init(over base: any ReadTransaction) { self.base = base }

    func get(_ keys: [Key]) throws -> [[UInt8]?] {
        guard !overlay.isEmpty else { return try base.get(keys) }
        var result: [[UInt8]?] = []
        result.reserveCapacity(keys.count)
        var asked: [(position: Int, key: Key)] = []
        for (position, key) in keys.enumerated() {
            if let written = overlay.value(of: key) {
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
        guard overlay.touches(range) else { return try base.entries(in: range, limit: limit, reverse: reverse) }
        var merge = OverlayMerge(overlay: overlay, base: base, range: range, reverse: reverse)
        return try merge.take(limit)
    }

    func set(_ key: Key, _ value: [UInt8]) {
        if value.count > StoreLimits.valueSize {
            violate("a value of \(value.count) bytes is over the limit of \(StoreLimits.valueSize) (valueSize)")
        }
        guard count(key, bytes: value.count) else { return }
        overlay.set(key, value)
    }

    func clear(_ key: Key) {
        guard count(key, bytes: 0) else { return }
        overlay.clear(key)
    }

    func clear(_ range: KeyRange) {
        guard violation == nil else { return }
        overlay.clear(range)
    }

    /// Adds the writes of a transaction that ran over this one and succeeded.
    func absorb(_ later: OverlayTransaction) {
        size += later.size
        overlay.absorb(later.overlay)
    }

    /// Bytes of keys and values written so far.
    var writtenSize: Int { size }

    /// - Throws: ``StoreError/Code/tooLarge`` if something over a limit of ``StoreLimits`` was written.
    func checkLimits() throws(StoreError) {
        if let violation { throw violation }
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
