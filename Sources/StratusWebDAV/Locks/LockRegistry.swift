/// The locks of all accounts, in memory. A server that starts again has none.
public struct LockRegistry: Sendable {
    private var tables: [String: LockTable] = [:]
    private var count = 0

    /// Makes a registry without locks.
    public init() {}

    /// Reads or changes the locks of an account.
    /// - Parameter account: Names the account and the environment of the container.
    public mutating func with<Result, Failure: Error>(
        _ account: String, now: Int64, _ body: (inout LockTable) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var table = tables[account] ?? LockTable()
        let before = table.count
        defer {
            tables[account] = table.isEmpty ? nil : table
            count += table.count - before
            if count > WebDAVLimits.locks { makeRoom(now: now) }
        }
        return try body(&table)
    }

    private mutating func makeRoom(now: Int64) {
        for (account, var table) in tables {
            table.expire(now: now)
            tables[account] = table.isEmpty ? nil : table
        }
        count = tables.values.reduce(0) { $0 + $1.count }
        while count > WebDAVLimits.locks {
            let first = tables.min { ($0.value.lastExpiry ?? 0) < ($1.value.lastExpiry ?? 0) }
            guard let first else { return }
            tables[first.key] = nil
            count -= first.value.count
        }
    }
}
