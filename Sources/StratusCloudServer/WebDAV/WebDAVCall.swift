import StratusCloudModel
import StratusCloudService
import StratusHTTPTransport
import StratusWebDAV
import StratusWorkers

/// A request about a resource, of a caller who is known.
struct WebDAVCall: Sendable {
    let request: HTTPRequest
    let service: CloudService
    let caller: Caller
    let path: WebDAVPath
    let ifHeader: IfHeader?
    /// The server's address, as the client has it; nil if the Host header is none.
    let base: String?
    let locks: Lock<LockRegistry>
    let assets: AssetHandler

    var head: HTTPRequestHead { request.head }
    var now: Int64 { service.now }
    /// Tokens that the client shows to have.
    var tokens: Set<String> { ifHeader?.tokens ?? [] }

    /// What the path leads to.
    func place() async throws(CloudError) -> FilePlace { try await service.filePlace(at: path.names, as: caller) }

    /// What the path leads to, if there is something.
    /// - Throws: ``WebDAVError`` with status 404.
    func existing() async throws -> FilePlace {
        let place = try await place()
        switch place {
        case .root, .item: return place
        case .free, .nowhere: throw WebDAVError(404, "there is nothing at this path")
        }
    }

    /// Whether the request names the state that its resource must be in, or must not be in.
    var isConditional: Bool { !head.headers.all("If-Match").isEmpty || !head.headers.all("If-None-Match").isEmpty }

    /// Returns the item at the path of a request that changes something, if the conditions of the request hold for it.
    /// - Throws: ``WebDAVError`` with status 404; with 412 if a condition does not hold.
    func changeable() async throws -> FilePlace {
        let place = try await existing()
        let tag = place.item.flatMap(WebDAVResource.entityTag) ?? ""
        guard Preconditions(head, tag: tag).outcome == .go else {
            throw WebDAVError(412, "the resource is in another state")
        }
        return place
    }

    // MARK: - Locks

    /// Names the caller in the registry of locks.
    private var lockAccount: String {
        "\(caller.context.container)/\(caller.context.environment.rawValue)/\(caller.userRecordName ?? "")"
    }

    /// Adds a lock of the caller.
    /// - Throws: ``WebDAVError``: 423 if another lock is in the way, 503 if there are too many.
    func add(_ lock: WebDAVLock) throws(WebDAVError) {
        let (account, now) = (lockAccount, now)
        try locks.withLock { registry throws(WebDAVError) in try registry.add(lock, of: account, now: now) }
    }

    /// Reads, extends or removes the caller's locks.
    func withLocks<Result: Sendable>(_ body: (inout LockTable) throws(WebDAVError) -> Result) throws(WebDAVError)
        -> Result
    {
        let account = lockAccount
        return try locks.withLock { registry throws(WebDAVError) in try registry.with(account, body) }
    }

    /// Checks that the client has the tokens of the locks that a change of a resource touches.
    /// - Parameter isMember: Whether the resource comes to be or ceases to be, which changes its folder, too.
    func checkLocks(_ change: LockTable.Change, of path: WebDAVPath, isMember: Bool) throws(WebDAVError) {
        let (tokens, now) = (tokens, now)
        try withLocks { table throws(WebDAVError) in
            try table.check(change, of: path.keys, tokens: tokens, now: now)
            if isMember, let parent = path.parentKeys {
                try table.check(.membership, of: parent, tokens: tokens, now: now)
            }
        }
    }

    /// Checks the condition of the `If` header.
    /// - Throws: ``WebDAVError`` with status 412 if it does not hold.
    func checkIfHeader() async throws {
        guard let ifHeader else { return }
        var tags: [String?: String?] = [:]
        var paths: [String?: WebDAVPath?] = [nil: path]
        for list in ifHeader.lists {
            if let resource = list.resource, paths[resource] == nil {
                // Of a resource elsewhere nothing is known, and no condition holds.
                paths[resource] = .some(try? WebDAVPath(resource, base: base, container: path.container))
            }
            let needsTag = list.conditions.contains { if case .entityTag = $0.state { true } else { false } }
            if needsTag, tags[list.resource] == nil, case let path?? = paths[list.resource] {
                let place = try await service.filePlace(at: path.names, as: caller)
                tags[list.resource] = .some(place.item.flatMap(WebDAVResource.entityTag))
            }
        }
        let (knownTags, knownPaths, now) = (tags, paths, now)
        let holds = try withLocks { table throws(WebDAVError) in
            ifHeader.holds { resource, state in
                switch state {
                case .token(let token):
                    guard case let path?? = knownPaths[resource] else { return false }
                    return table.isLocked(path.keys, with: token, now: now)
                case .entityTag(let tag):
                    guard case let known?? = knownTags[resource] else { return false }
                    return known == tag
                }
            }
        }
        guard holds else { throw WebDAVError(412, "the condition of the header If does not hold") }
    }
}
