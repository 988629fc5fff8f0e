/// What is committed, as a write transaction sees it: damage that it meets stops the store.
struct WriterReadTransaction: ReadTransaction {
    let base: any ReadTransaction
    let health: StoreHealth

    func get(_ keys: [Key]) throws -> [[UInt8]?] {
        do { return try base.get(keys) } catch { throw noted(error) }
    }

    func entries(in range: KeyRange, limit: Int, reverse: Bool) throws -> [StoreEntry] {
        do { return try base.entries(in: range, limit: limit, reverse: reverse) } catch { throw noted(error) }
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
