/// What is committed, as the write transactions of a group see it: damage that it meets stops the store.
final class WriterReadTransaction: ReadTransaction {
    /// Short keys name single rows, such as headers and summaries, that nearly every transaction reads and few write. Of
    /// them a group looks for each once, for nothing is committed while it runs.
    static let rememberedKeySize = 16

    private let base: any ReadTransaction
    private let health: StoreHealth
    private var remembered: [Key: [UInt8]?] = [:]

    init(base: any ReadTransaction, health: StoreHealth) {
        self.base = base
        self.health = health
    }

    func get(_ keys: [Key]) throws -> [[UInt8]?] {
        guard keys.contains(where: { $0.bytes.count <= Self.rememberedKeySize }) else { return try read(keys) }
        return try keys.map { key in
            guard key.bytes.count <= Self.rememberedKeySize else { return try read([key])[0] }
            if let known = remembered[key] { return known }
            let value = try read([key])[0]
            remembered[key] = .some(value)
            return value
        }
    }

    func entries(in range: KeyRange, limit: Int, reverse: Bool) throws -> [StoreEntry] {
        do { return try base.entries(in: range, limit: limit, reverse: reverse) } catch { throw noted(error) }
    }

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
