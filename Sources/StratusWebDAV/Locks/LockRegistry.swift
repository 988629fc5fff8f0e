/// The locks of all accounts, in memory. A server that starts again has none.
public struct LockRegistry: Sendable {
    private var tables: [String: LockTable] = [:]
    private var count = 0

    /// Makes a registry without locks.
    public init() {}

    /// Reads, extends or removes the locks of an account.
    /// - Parameter account: Names the account and the environment of the container.
    public mutating func with<Result, Failure: Error>(
        _ account: String, _ body: (inout LockTable) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var table = tables[account] ?? LockTable()
        defer { put(table, of: account) }
        return try body(&table)
    }

    /// Adds a lock of an account.
    ///
    /// If there are as many locks as there may be, an account that has fewer than others takes the place of a lock of
    /// the account that has the most. So nobody loses locks to an account that has more.
    /// - Throws: ``WebDAVError``: 423 if another lock is in the way, 503 if there are too many.
    public mutating func add(_ lock: WebDAVLock, of account: String, now: Int64) throws(WebDAVError) {
        var table = tables[account] ?? LockTable()
        try table.add(lock, now: now)
        if count >= WebDAVLimits.locks { try makeRoom(for: account, table, now: now) }
        put(table, of: account)
    }

    private mutating func put(_ table: LockTable, of account: String) {
        count += table.count - (tables[account]?.count ?? 0)
        tables[account] = table.isEmpty ? nil : table
    }

    private mutating func makeRoom(for account: String, _ table: LockTable, now: Int64) throws(WebDAVError) {
        for (other, var table) in tables {
            table.expire(now: now)
            put(table, of: other)
        }
        guard count >= WebDAVLimits.locks else { return }
        guard let largest = tables.max(by: { $0.value.count < $1.value.count }), largest.value.count > table.count
        else {
            throw WebDAVError(503, "there are \(WebDAVLimits.locks) locks of all accounts, which is the maximum")
        }
        var others = largest.value
        others.removeFirstToExpire()
        put(others, of: largest.key)
    }
}
