import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore

/// A browser, device or program in which a person is signed in, as they see it themselves.
public struct OwnSession: Hashable, Sendable {
    /// Names it for ``CloudService/endSession(_:of:)``. Proves nothing.
    public var id: String
    /// The app that it is signed in to; nil for the pages of the account itself.
    public var context: CloudContext?
    /// The name that the client gave itself when it signed in.
    public var agent: String?
    /// Milliseconds since 1970-01-01 UTC.
    public var since: Int64
    /// Milliseconds since 1970-01-01 UTC, to the hour.
    public var lastUsed: Int64
    /// True for the session that the request belongs to.
    public var isCurrent = false
}

extension CloudService {
    /// The live sessions of an account, the one that was used last first; at most ``ServiceLimits/listedSessions``.
    static func sessions(
        of account: Account, current: AccountSessionID, at now: Int64, in transaction: any ReadTransaction
    ) throws -> [OwnSession] {
        var found: [OwnSession] = []
        let uses = try transaction.entries(
            in: DirectoryKey.sessionUses(of: account.id), limit: 10 * ServiceLimits.listedSessions)
        for entry in uses {
            let hash = DirectoryKey.sessionHash(ofUse: entry.key, of: account.id)
            guard let session: Session = try transaction.value(at: DirectoryKey.session(hash)),
                session.expires > now, session.accountEpoch == account.sessionEpoch
            else { continue }
            let use = try SessionUse(stored: entry.value)
            found.append(
                OwnSession(
                    id: Hex.encode(hash), context: session.context, agent: use.agent, since: session.created,
                    lastUsed: use.lastUsed))
        }
        let own = try transaction.entries(
            in: DirectoryKey.accountSessions(of: account.id), limit: ServiceLimits.accountSessions + 1)
        for entry in own {
            let session = try AccountSession(stored: entry.value)
            guard session.isLive(for: account, at: now) else { continue }
            let hash = DirectoryKey.sessionHash(ofAccountSession: entry.key, of: account.id)
            found.append(
                OwnSession(
                    id: Hex.encode(hash), context: nil, agent: session.agent, since: session.created,
                    lastUsed: session.created, isCurrent: hash == current.hash))
        }
        found.sort { ($0.lastUsed, $0.since, $0.id) > ($1.lastUsed, $1.since, $1.id) }
        return Array(found.prefix(ServiceLimits.listedSessions))
    }

    /// Signs a person out of one app, device or browser. Its notifications end with it.
    /// - Parameter id: as ``OwnSession/id``.
    /// - Throws: `notFound` if the account has no such session.
    public func endSession(_ id: String, of holder: AccountHolder) async throws(CloudError) {
        let gone = CloudError(.notFound, "this session has already ended")
        guard id.utf8.count <= 64, let hash = Hex.decode(id), hash.count == 32 else { throw gone }
        let accountID = holder.account.id
        do {
            try await directory.change { transaction in
                let own = DirectoryKey.accountSession(hash, of: accountID)
                if try transaction.get(own) != nil { return transaction.clear(own) }
                let session: Session? = try transaction.value(at: DirectoryKey.session(hash))
                guard session?.accountID == accountID, try Self.clearSession(hash, in: transaction) else { throw gone }
            }
        } catch {
            throw cloudError(from: error)
        }
        push.hub.dismiss { $0.session == hash }
    }

    /// Ends all open streams and polls of an account, whose sessions are void now.
    func endListeners(of accountID: String) async throws(CloudError) {
        let contexts = try await listContainers().flatMap { container in
            CloudEnvironment.allCases.map { CloudContext(container: container, environment: $0) }
        }
        let names = try await reading(.directory) { transaction in
            try transaction.get(contexts.map { DirectoryKey.user(of: accountID, in: $0) })
        }
        for (context, name) in zip(contexts, names) {
            guard let name else { continue }
            push.hub.dismissAll(
                of: PushOwner(context: context, userRecordName: String(decoding: name, as: UTF8.self)))
        }
    }
}

extension DirectoryKey {
    /// The session's hash at the end of the key of an account's session.
    static func sessionHash(ofAccountSession key: Key, of accountID: String) -> [UInt8] {
        Array(key.bytes.dropFirst(accountSession([], of: accountID).bytes.count))
    }
}
