import StratusCloudModel
import StratusCloudService
import StratusHTTPTransport
import StratusWebDAV

extension WebDAVCall {
    func lock() async throws -> HTTPResponse {
        let seconds = LockRequest.seconds(head.headers["Timeout"])
        let now = now
        guard !request.body.bytes.isEmpty else { return try refreshLock(until: now + seconds * 1_000, now) }
        let wanted = try LockRequest(request.body.bytes)
        let depth = try Depth(head.headers["Depth"], otherwise: .infinity)
        guard depth != .one else { throw WebDAVError(400, "a lock has Depth 0 or infinity") }
        let place = try await place()
        var isNew = false
        switch place {
        case .nowhere: throw WebDAVError(409, "the folder does not exist")
        case .free:
            isNew = true
            try checkLocks(.content, of: path, isMember: true)
        case .root, .item: break
        }
        let lock = WebDAVLock(
            token: "urn:uuid:\(service.makeLockToken())", path: path.keys,
            root: path.address(isFolder: place.folder != nil), isShared: wanted.isShared, isDeep: depth == .infinity,
            owner: wanted.owner, expires: now + seconds * 1_000)
        try add(lock)
        if case .free(let name, let folder) = place {
            do {
                _ = try await service.createEmptyFile(FileChanges(name: name, folder: folder), as: caller)
            } catch {
                try? withLocks { table throws(WebDAVError) in
                    try table.remove(lock.token, on: lock.path, now: now)
                }
                throw error
            }
        }
        return answer(lock, now, status: isNew ? 201 : 200, adding: [("Lock-Token", "<\(lock.token)>")])
    }

    private func refreshLock(until expires: Int64, _ now: Int64) throws -> HTTPResponse {
        let tokens = tokens
        guard !tokens.isEmpty else { throw WebDAVError(400, "a lock is extended with its token in the header If") }
        let lock = try withLocks { table throws(WebDAVError) in
            try table.refresh(tokens, on: path.keys, until: expires, now: now)
        }
        return answer(lock, now, status: 200)
    }

    private func answer(
        _ lock: WebDAVLock, _ now: Int64, status: Int, adding headers: [(String, String)] = []
    ) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: [("Content-Type", MultiStatus.contentType)] + headers,
            body: .bytes(Array(LockProperties.answer([lock], now: now).utf8)))
    }

    func unlock() throws -> HTTPResponse {
        guard let header = head.headers["Lock-Token"], header.hasPrefix("<"), header.hasSuffix(">") else {
            throw WebDAVError(400, "the header Lock-Token is missing or not of the form '<token>'")
        }
        let token = String(header.dropFirst().dropLast())
        let now = now
        try withLocks { table throws(WebDAVError) in try table.remove(token, on: path.keys, now: now) }
        return HTTPResponse(status: 204)
    }
}
