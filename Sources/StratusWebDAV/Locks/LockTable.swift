/// The locks of one account in one environment of a container.
///
/// Paths are lists of keys, one for each name, so that names that the folder takes for equal have equal keys. All
/// functions forget the locks that have expired first.
public struct LockTable: Hashable, Sendable {
    private var locks: [WebDAVLock] = []

    /// Makes a table without locks.
    public init() {}

    /// Whether there are no locks, expired ones included.
    public var isEmpty: Bool { locks.isEmpty }

    /// The number of locks, expired ones included.
    var count: Int { locks.count }

    /// Forgets what has expired.
    public mutating func expire(now: Int64) { locks.removeAll { $0.expires <= now } }

    /// The locks that hold for the resource at a path.
    public mutating func locks(on path: [String], now: Int64) -> [WebDAVLock] {
        expire(now: now)
        return locks.filter { $0.covers(path) }
    }

    /// Adds a lock.
    /// - Throws: ``WebDAVError``: 423 if another lock is in the way, 503 if the account or a resource has too many.
    mutating func add(_ lock: WebDAVLock, now: Int64) throws(WebDAVError) {
        expire(now: now)
        let conflict = locks.first { other in
            let meets = other.covers(lock.path) || lock.isDeep && other.isWithin(lock.path)
            return meets && !(other.isShared && lock.isShared)
        }
        guard conflict == nil else {
            throw WebDAVError(423, "the resource is locked", condition: "no-conflicting-lock")
        }
        guard locks.count < WebDAVLimits.locksPerAccount else {
            throw WebDAVError(503, "there are \(WebDAVLimits.locksPerAccount) locks, which is the maximum")
        }
        guard mostLocksOnOneResource(with: lock) <= WebDAVLimits.locksPerResource else {
            throw WebDAVError(
                503, "a resource would have more than \(WebDAVLimits.locksPerResource) locks, which is the maximum")
        }
        locks.append(lock)
    }

    /// The largest number of locks that would hold for one of the resources that a new lock holds for.
    private func mostLocksOnOneResource(with lock: WebDAVLock) -> Int {
        // The locks that hold for a resource all hold for the deepest path that is locked by one of them, too.
        let paths = Set(locks.map(\.path).filter { lock.covers($0) } + [lock.path])
        return paths.map { path in locks.count { $0.covers(path) } + 1 }.max() ?? 1
    }

    /// Extends a lock.
    /// - Throws: ``WebDAVError`` with status 412 if none of the tokens locks the resource.
    public mutating func refresh(
        _ tokens: Set<String>, on path: [String], until expires: Int64, now: Int64
    ) throws(WebDAVError) -> WebDAVLock {
        expire(now: now)
        guard let index = locks.firstIndex(where: { tokens.contains($0.token) && $0.covers(path) }) else {
            throw WebDAVError(
                412, "the resource is not locked with this token", condition: "lock-token-matches-request-uri")
        }
        locks[index].expires = expires
        return locks[index]
    }

    /// Removes a lock.
    /// - Throws: ``WebDAVError`` with status 409 if the token does not lock the resource.
    public mutating func remove(_ token: String, on path: [String], now: Int64) throws(WebDAVError) {
        expire(now: now)
        guard let index = locks.firstIndex(where: { $0.token == token && $0.covers(path) }) else {
            throw WebDAVError(
                409, "the resource is not locked with this token", condition: "lock-token-matches-request-uri")
        }
        locks.remove(at: index)
    }

    /// Removes the locks at and below a path, whose resource was moved or deleted.
    public mutating func removeAll(within path: [String]) { locks.removeAll { $0.isWithin(path) } }

    /// Removes the lock that expires first.
    mutating func removeFirstToExpire() {
        if let index = locks.indices.min(by: { locks[$0].expires < locks[$1].expires }) { locks.remove(at: index) }
    }

    /// Whether a token locks the resource at a path.
    public mutating func isLocked(_ path: [String], with token: String, now: Int64) -> Bool {
        expire(now: now)
        return locks.contains { $0.token == token && $0.covers(path) }
    }

    /// What a request changes of a resource.
    public enum Change: Hashable, Sendable {
        /// Its content or properties.
        case content
        /// Which resources a folder has: the lock of the folder counts.
        case membership
        /// The resource and everything below it.
        case tree
    }

    /// Checks that a client has the tokens of the locks that a change touches.
    /// - Throws: ``WebDAVError`` with status 423 if not.
    public mutating func check(
        _ change: Change, of path: [String], tokens: Set<String>, now: Int64
    ) throws(WebDAVError) {
        expire(now: now)
        guard !locks.isEmpty else { return }
        let touched = locks.filter { $0.covers(path) || change == .tree && $0.isWithin(path) }
        // Of the shared locks of a resource one suffices.
        for lock in touched where !tokens.contains(lock.token) {
            let isOpen =
                lock.isShared && touched.contains { $0.isShared && $0.path == lock.path && tokens.contains($0.token) }
            guard isOpen else {
                throw WebDAVError(423, "the resource is locked", condition: "lock-token-submitted")
            }
        }
    }
}
