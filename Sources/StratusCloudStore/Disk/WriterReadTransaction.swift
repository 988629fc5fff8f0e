/// What is committed, as the write transactions of a group see it: damage that it meets stops the store.
///
/// Rows with a key of one byte stand for the partition as a whole, such as whether anybody has subscriptions: nearly
/// every transaction reads them, and few write them. A group looks for each once, for nothing is committed while it
/// runs. There are few of them, so what is remembered of them has a bound; of other rows nothing is.
final class WriterReadTransaction: ReadTransaction {
    private let base: any ReadTransaction
    private let health: StoreHealth
    private var remembered: [Key: [UInt8]?] = [:]

    init(base: any ReadTransaction, health: StoreHealth) {
        self.base = base
        self.health = health
    }

    func get(_ keys: [Key]) throws -> [[UInt8]?] {
        guard keys.contains(where: Self.isRemembered) else { return try read(keys) }
        return try keys.map { key in
            guard Self.isRemembered(key) else { return try read([key])[0] }
            if let known = remembered[key] { return known }
            let value = try read([key])[0]
            remembered[key] = .some(value)
            return value
        }
    }

    func entries(in range: KeyRange, limit: Int, reverse: Bool) throws -> [StoreEntry] {
        do { return try base.entries(in: range, limit: limit, reverse: reverse) } catch { throw noted(error) }
    }

    private static func isRemembered(_ key: Key) -> Bool { key.bytes.count == 1 }

    private func read(_ keys: [Key]) throws -> [[UInt8]?] {
        do { return try base.get(keys) } catch { throw noted(error) }
    }

    private func noted(_ error: any Error) -> any Error {
        health.noteRead(error)
        return error
    }
}

/// Stands where the engine failed before the body could read.
struct FailedReadTransaction: ReadTransaction {
    let failure: StoreError

    func get(_ keys: [Key]) throws -> [[UInt8]?] { throw failure }
    func entries(in range: KeyRange, limit: Int, reverse: Bool) throws -> [StoreEntry] { throw failure }
}
