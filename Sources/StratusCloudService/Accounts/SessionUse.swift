import StratusCloudModel
import StratusCloudStore

/// What a person is shown of a session: which program holds it, and when that last used it. Lies under the account, so that
/// the sessions of one person are found without reading everybody's.
struct SessionUse: StoredValue, Hashable {
    static let format: UInt8 = 1

    /// The `User-Agent` of the sign-in, as far as there was one.
    var agent: String?
    /// Milliseconds since 1970-01-01 UTC; at most ``ServiceLimits/sessionUsePause`` behind.
    var lastUsed: Int64

    init(agent: String?, lastUsed: Int64) {
        self.agent = agent
        self.lastUsed = lastUsed
    }

    init(from reader: inout ByteReader) throws {
        self.init(agent: try reader.optional { try $0.string() }, lastUsed: try reader.signed())
    }

    func write(to writer: inout ByteWriter) {
        writer.write(optional: agent) { $0.write($1) }
        writer.write(signed: lastUsed)
    }
}

/// The name that a client gives itself in its `User-Agent` header.
enum ClientAgent {
    /// The text without control characters, cut to ``ServiceLimits/agentLength`` bytes; nil if nothing remains.
    static func bounded(_ text: String?) -> String? {
        var kept = ""
        for scalar in (text ?? "").unicodeScalars where scalar.value >= 0x20 && scalar.value != 0x7F {
            guard kept.utf8.count + String(scalar).utf8.count <= ServiceLimits.agentLength else { break }
            kept.unicodeScalars.append(scalar)
        }
        return kept.isEmpty ? nil : kept
    }
}

extension DirectoryKey {
    /// - Parameter hash: of the session's identifier.
    static func sessionUse(_ hash: [UInt8], of accountID: String) -> Key {
        var encoder = TupleEncoder()
        encoder.append(byte: Tag.sessionUse.rawValue)
        encoder.append(string: accountID)
        encoder.append(rest: hash)
        return encoder.key
    }

    static func sessionUses(of accountID: String) -> KeyRange { KeyRange(prefix: key(.sessionUse, accountID)) }

    /// The session's hash at the end of such a key.
    static func sessionHash(ofUse key: Key, of accountID: String) -> [UInt8] {
        Array(key.bytes.dropFirst(sessionUse([], of: accountID).bytes.count))
    }
}

extension CloudService {
    /// Stores a new session, and clears those of the account that have expired.
    static func store(
        _ session: Session, _ hash: [UInt8], agent: String?, at now: Int64, in transaction: any WriteTransaction
    ) throws {
        let range = DirectoryKey.sessionUses(of: session.accountID)
        for entry in try transaction.entries(in: range, limit: ServiceLimits.listedSessions) {
            let known = DirectoryKey.sessionHash(ofUse: entry.key, of: session.accountID)
            let former: Session? = try transaction.value(at: DirectoryKey.session(known))
            if let former, former.expires > now, former.accountEpoch == session.accountEpoch { continue }
            transaction.clear(DirectoryKey.session(known))
            transaction.clear(entry.key)
        }
        transaction.set(DirectoryKey.session(hash), session)
        transaction.set(
            DirectoryKey.sessionUse(hash, of: session.accountID),
            SessionUse(agent: ClientAgent.bounded(agent), lastUsed: now))
    }

    /// Clears a session.
    /// - Returns: whether there was one.
    static func clearSession(_ hash: [UInt8], in transaction: any WriteTransaction) throws -> Bool {
        guard let session: Session = try transaction.value(at: DirectoryKey.session(hash)) else { return false }
        transaction.clear(DirectoryKey.session(hash))
        transaction.clear(DirectoryKey.sessionUse(hash, of: session.accountID))
        return true
    }

    /// Notes now and then that a session was used. A request is answered also where that cannot be written.
    func noteUse(of hash: [UInt8]) async {
        let now = environment.now()
        guard directory.takesNote(ofUse: hash, at: now) else { return }
        do {
            try await store.write(.directory) { transaction in
                guard let session: Session = try transaction.value(at: DirectoryKey.session(hash)) else { return }
                let key = DirectoryKey.sessionUse(hash, of: session.accountID)
                var use: SessionUse = try transaction.value(at: key) ?? SessionUse(agent: nil, lastUsed: now)
                use.lastUsed = now
                transaction.set(key, use)
            }
        } catch {
            environment.report(error)
        }
    }
}
