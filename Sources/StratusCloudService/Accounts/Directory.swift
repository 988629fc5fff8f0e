import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore
import StratusWorkers

/// Containers, accounts, tokens, keys and sessions: the partition they lie in, and what is remembered of it.
///
/// What every request looks up (API tokens, keys, sessions) is remembered, up to a bound, and forgotten when it is
/// changed through this directory, the only one of the process. Secrets lie in the store as SHA-256 only.
final class Directory: Sendable {
    /// Remembered entries of each kind; when there are more, all of the kind are forgotten.
    static let remembered = 50_000
    /// Proofs remembered of each kind; when there are more, all of the kind are forgotten.
    static let rememberedProofs = 2_000

    let store: any CloudStore
    private let memory = Lock(Memory())

    private struct Memory {
        /// Grows with every change; what was read before one is not remembered after it.
        var generation: UInt64 = 0
        var tokens: [[UInt8]: APIToken] = [:]
        var keys: [String: ServerKey] = [:]
        var sessions: [[UInt8]: SessionEntry] = [:]
        var containers: [ContainerIdentifier: Bool] = [:]
        var proofs: [ClientTokens: Proof] = [:]
        var appPasswords: [AppPasswordProof.Mark: AppPasswordProof] = [:]
    }

    /// What credentials came to, good for a moment: clients send many requests with the same ones.
    final class Proof: Sendable {
        /// Its renewed token is numbered anew for each answer.
        let authentication: Authentication
        /// Empty allows any.
        let allowedOrigins: [String]
        /// Milliseconds since 1970-01-01 UTC.
        let expires: Int64

        init(authentication: Authentication, allowedOrigins: [String], expires: Int64) {
            self.authentication = authentication
            self.allowedOrigins = allowedOrigins
            self.expires = expires
        }
    }

    /// A session and what voids it.
    struct SessionEntry: Hashable, Sendable {
        var session: Session
        var currentEpoch: UInt64
        /// When it was last used, as far as that is stored; nil where nothing is.
        var lastUsed: Int64?

        func isLive(at now: Int64) -> Bool { session.expires > now && session.accountEpoch == currentEpoch }
    }

    init(store: any CloudStore) { self.store = store }

    /// Grows with every change that may void something.
    var generation: UInt64 { memory.withLock { $0.generation } }

    /// What these tokens came to a moment ago, and the generation to remember a new proof with.
    func proof(of tokens: ClientTokens, at now: Int64) -> (Proof?, generation: UInt64) {
        memory.withLock { memory in
            let proof = memory.proofs[tokens]
            return (proof.flatMap { $0.expires > now ? $0 : nil }, memory.generation)
        }
    }

    /// Remembers a proof, unless something was changed since `generation`.
    func remember(_ proof: Proof, of tokens: ClientTokens, generation: UInt64) {
        memory.withLock { memory in
            guard memory.generation == generation else { return }
            if memory.proofs.count >= Self.rememberedProofs { memory.proofs.removeAll() }
            memory.proofs[tokens] = proof
        }
    }

    /// The app password of this mark, if it was checked a moment ago, and the generation to remember a new proof with.
    func appPassword(_ mark: AppPasswordProof.Mark, at now: Int64) -> (AppPasswordProof?, generation: UInt64) {
        memory.withLock { memory in
            let proof = memory.appPasswords[mark]
            return (proof.flatMap { $0.expires > now ? $0 : nil }, memory.generation)
        }
    }

    /// Remembers a checked app password, unless something was changed since `generation`.
    func remember(_ proof: AppPasswordProof, of mark: AppPasswordProof.Mark, generation: UInt64) {
        memory.withLock { memory in
            guard memory.generation == generation else { return }
            if memory.appPasswords.count >= Self.rememberedProofs { memory.appPasswords.removeAll() }
            memory.appPasswords[mark] = proof
        }
    }

    /// The API token whose text has this hash.
    func apiToken(hash: [UInt8]) async throws -> APIToken? {
        try await remembered(\.tokens, hash) { try $0.value(APIToken.self, at: DirectoryKey.token(hash)) }
    }

    func serverKey(id: String) async throws -> ServerKey? {
        try await remembered(\.keys, id) { try $0.value(ServerKey.self, at: DirectoryKey.serverKey(id)) }
    }

    /// The session whose identifier has this hash, unless its account is gone.
    func session(hash: [UInt8]) async throws -> SessionEntry? {
        try await remembered(\.sessions, hash) { transaction in
            guard let session = try transaction.value(Session.self, at: DirectoryKey.session(hash)),
                let account = try transaction.value(Account.self, at: DirectoryKey.account(id: session.accountID))
            else { return nil }
            let use: SessionUse? = try transaction.value(at: DirectoryKey.sessionUse(hash, of: session.accountID))
            return SessionEntry(
                session: session, currentEpoch: account.sessionEpoch, lastUsed: use?.lastUsed)
        }
    }

    /// Whether the use of a session is to be stored now. Only the first of several who ask is told so.
    func takesNote(ofUse hash: [UInt8], at now: Int64) -> Bool {
        memory.withLock { memory in
            guard let entry = memory.sessions[hash] else { return false }
            if let lastUsed = entry.lastUsed, now - lastUsed < ServiceLimits.sessionUsePause { return false }
            memory.sessions[hash]?.lastUsed = now
            return true
        }
    }

    func hasContainer(_ identifier: ContainerIdentifier) async throws -> Bool {
        let found = try await remembered(\.containers, identifier) { transaction -> Bool? in
            try transaction.get(DirectoryKey.container(identifier)) != nil ? true : nil
        }
        return found ?? false
    }

    private func remembered<Name: Hashable & Sendable, Value: Sendable>(
        _ entries: any WritableKeyPath<Memory, [Name: Value]> & Sendable, _ name: Name,
        read: @escaping @Sendable (any ReadTransaction) throws -> Value?
    ) async throws -> Value? {
        let (known, generation) = memory.withLock { ($0[keyPath: entries][name], $0.generation) }
        if let known { return known }
        guard let value = try await store.read(.directory, read) else { return nil }
        memory.withLock { memory in
            guard memory.generation == generation else { return }
            if memory[keyPath: entries].count >= Self.remembered { memory[keyPath: entries].removeAll() }
            memory[keyPath: entries][name] = value
        }
        return value
    }

    /// Writes, then forgets what was remembered, so that a revocation holds from the moment it is acknowledged.
    func change<Result: Sendable>(
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        let result = try await store.write(.directory, body)
        memory.withLock { $0 = Memory(generation: $0.generation + 1) }
        return result
    }
}

/// The keys of the directory's partition. The tags are stored; never renumber them.
enum DirectoryKey {
    enum Tag: UInt8 {
        case container = 0x01
        case accountByEmail = 0x02
        case accountByID = 0x03
        case token = 0x04
        case serverKey = 0x05
        case session = 0x06
        case userOfAccount = 0x07
        case accountOfUser = 0x08
        case profile = 0x20
        case accountByPhone = 0x21
        case discoverability = 0x22
        case discoverableUser = 0x23
        case discoverableHash = 0x24
        case addressBook = 0x25
        case contactSalt = 0x26
        case accountSession = 0x27
        case shareGUID = 0x28
        case appLink = 0x29
        case invitation = 0x2A
        case knownNetworks = 0x2B
        case sessionUse = 0x2C
        case passwordReset = 0x2D
        case signatureDate = 0x2E
        case appPassword = 0x2F
        /// Accounts that are being erased; see ``Erasure``.
        case erasure = 0x3E
        /// Containers that are being deleted; see ``ContainerDeletion``.
        case containerDeletion = 0x3F
        case storedForm = 0x40
        case developerByEmail = 0x50
        case developer = 0x51
        case developerSession = 0x52
        case developerInvitation = 0x53
        case teamMembership = 0x54
        case developerUser = 0x55
        case testAccount = 0x56
        case accountLink = 0x57
    }

    /// Which form everything is stored in; see ``StoredDataUpgrade``.
    static let storedForm = Key([Tag.storedForm.rawValue])
    static func container(_ identifier: ContainerIdentifier) -> Key { key(.container, identifier.rawValue) }
    static var containers: KeyRange { range(.container) }
    static func account(email: String) -> Key { key(.accountByEmail, email) }
    static func account(id: String) -> Key { key(.accountByID, id) }
    static var accounts: KeyRange { range(.accountByID) }
    static func token(_ hash: [UInt8]) -> Key { Key([Tag.token.rawValue] + hash) }
    static var tokens: KeyRange { range(.token) }
    static var serverKeys: KeyRange { range(.serverKey) }

    /// The identifier at the end of a server-to-server key's key.
    static func serverKeyID(_ key: Key) -> String? {
        var decoder = TupleDecoder(key, skipping: 1)
        return decoder.string()
    }

    static func serverKey(_ id: String) -> Key { key(.serverKey, id) }
    static func session(_ hash: [UInt8]) -> Key { Key([Tag.session.rawValue] + hash) }
    static var sessions: KeyRange { range(.session) }
    static func erasure(of accountID: String) -> Key { key(.erasure, accountID) }
    static var erasures: KeyRange { range(.erasure) }
    static var shareGUIDs: KeyRange { range(.shareGUID) }

    /// The user record name of an account in a context.
    static func user(of accountID: String, in context: CloudContext) -> Key {
        key(.userOfAccount, context.container.rawValue, context.environment.rawValue, accountID)
    }

    /// The user record names of all accounts in a context.
    static func users(in context: CloudContext) -> KeyRange {
        KeyRange(prefix: key(.userOfAccount, context.container.rawValue, context.environment.rawValue))
    }

    /// The account behind a user record name.
    static func account(ofUser userRecordName: String, in context: CloudContext) -> Key {
        key(.accountOfUser, context.container.rawValue, context.environment.rawValue, userRecordName)
    }

    static func key(_ tag: Tag, _ parts: String...) -> Key {
        var encoder = TupleEncoder()
        encoder.append(byte: tag.rawValue)
        for part in parts { encoder.append(string: part) }
        return encoder.key
    }

    private static func range(_ tag: Tag) -> KeyRange { KeyRange(prefix: Key([tag.rawValue])) }
}
