import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore

/// What a client gave with its latest modification of a zone, as the zone keeps it.
struct StoredClientToken: StoredValue, Hashable {
    static let format: UInt8 = 1

    /// Milliseconds since 1970-01-01 UTC.
    var given: Int64
    var token: [UInt8]

    init(given: Int64, token: [UInt8]) {
        self.given = given
        self.token = token
    }

    init(from reader: inout ByteReader) throws {
        given = try reader.signed()
        token = Array(try reader.slice())
    }

    func write(to writer: inout ByteWriter) {
        writer.write(signed: given)
        writer.write(bytes: token)
    }
}

/// One client of a person, for which zones keep the token that it gave with its latest modification, so that it can tell
/// whether that one was done. Written in the transaction of the modification; goes with the zone, and with the person's part in it.
struct TokenClient: Hashable, Sendable {
    /// Of a hash, enough to tell the clients of one person apart.
    private static let nameLength = 16

    let user: String
    /// What the session is that proves the client. Callers in the same process have none; they are who they say they are.
    private let name: ArraySlice<UInt8>

    /// - Returns: nil for callers who are nobody.
    init?(_ caller: Caller) {
        guard let user = caller.userRecordName else { return nil }
        self.user = user
        let hash = caller.session ?? caller.clientID.map { SHA256.hash(Array($0.utf8)) } ?? []
        name = hash.prefix(Self.nameLength)
    }

    /// What it gave last.
    func token(in zone: ZoneNumber, _ transaction: any ReadTransaction) throws -> [UInt8]? {
        try transaction.value(StoredClientToken.self, at: key(in: zone))?.token
    }

    func keep(_ token: [UInt8], in zone: ZoneNumber, at now: Int64, _ transaction: any WriteTransaction) throws {
        let key = key(in: zone)
        if try transaction.get(key) == nil { try Self.makeRoom(for: user, in: zone, transaction) }
        transaction.set(key, StoredClientToken(given: now, token: token))
    }

    /// - Throws: `badRequest` for a token that is too large to be kept.
    static func check(_ token: [UInt8]?) throws(CloudError) {
        guard let count = token?.count, count > ModelLimits.clientChangeTokenSize else { return }
        throw CloudError(
            .badRequest,
            "'clientChangeToken' has \(count) bytes, which is more than the maximum of "
                + "\(ModelLimits.clientChangeTokenSize)")
    }

    /// What a user's clients gave, the oldest first.
    static func all(
        of user: String, in zone: ZoneNumber, _ transaction: any ReadTransaction
    ) throws -> [(key: Key, value: StoredClientToken)] {
        let range = Keyspace.clientTokens(zone: zone, of: user)
        return try transaction.entries(in: range, limit: ServiceLimits.clientTokensPerUser)
            .map { ($0.key, try StoredClientToken(stored: $0.value)) }
            .sorted { $0.value.given < $1.value.given }
    }

    /// Forgets all of a user's.
    static func forget(_ user: String, in zone: ZoneNumber, _ transaction: any WriteTransaction) throws {
        for entry in try all(of: user, in: zone, transaction) { transaction.clear(entry.key) }
    }

    private static func makeRoom(
        for user: String, in zone: ZoneNumber, _ transaction: any WriteTransaction
    ) throws {
        let known = try all(of: user, in: zone, transaction)
        guard known.count == ServiceLimits.clientTokensPerUser, let oldest = known.first else { return }
        transaction.clear(oldest.key)
    }

    private func key(in zone: ZoneNumber) -> Key {
        var encoder = Keyspace.clientTokenPrefix(zone: zone, of: user)
        encoder.append(rest: name)
        return encoder.key
    }
}

extension Keyspace {
    /// All tokens of a user's clients in a zone.
    static func clientTokens(zone: ZoneNumber, of user: String) -> KeyRange {
        KeyRange(prefix: clientTokenPrefix(zone: zone, of: user).key)
    }

    fileprivate static func clientTokenPrefix(zone: ZoneNumber, of user: String) -> TupleEncoder {
        var encoder = prefix(.clientToken, zone: zone)
        encoder.append(string: user)
        return encoder
    }
}

extension RecordModification {
    /// Keeps the client's token, if the request has one and something of it was done, for the feed to give back. Zones
    /// without a feed keep none.
    func keepClientToken(_ results: [RecordResult], in zone: ZoneNumber, _ transaction: any WriteTransaction) throws {
        guard let clientChangeToken, scope != .public, !zoneID.isDefault, let client = TokenClient(caller),
            results.contains(where: { if case .failed = $0 { false } else { true } })
        else { return }
        try client.keep(clientChangeToken, in: zone, at: now, transaction)
    }
}
