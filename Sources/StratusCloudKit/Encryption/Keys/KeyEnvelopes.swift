/// What the server keeps of a person's key: which one it is, the same encrypted for the recovery phrase, and the keys that it
/// took the place of, encrypted with it.
struct AccountEnvelope: Hashable, Sendable {
    private static let label = "stratus.account-envelope.v1"

    var keyID: KeyID
    /// nil as long as there is no recovery phrase.
    var recovery: [UInt8]?
    /// The oldest first.
    var previous: [WrappedAccountKey]

    /// Keys that an account can have had.
    static let keyLimit = 1_000

    var bytes: [UInt8] {
        previous.reduce(into: Frames(Self.label).adding(keyID.bytes, recovery ?? [])) {
            $0.add($1.keyID.bytes)
            $0.add($1.sealed)
        }.bytes
    }

    init(keyID: KeyID, recovery: [UInt8]? = nil, previous: [WrappedAccountKey] = []) {
        self.keyID = keyID
        self.recovery = recovery
        self.previous = previous
    }

    init(_ bytes: [UInt8]) throws(FrameReader.Malformed) {
        var reader = try FrameReader(bytes, label: Self.label)
        keyID = try reader.keyID()
        let recovery = try reader.frame()
        self.recovery = recovery.isEmpty ? nil : recovery
        previous = []
        while !reader.isAtEnd {
            previous.append(WrappedAccountKey(keyID: try reader.keyID(), sealed: try reader.frame()))
        }
    }
}

/// What the server keeps of a zone's keys, the oldest first.
struct ZoneEnvelope: Hashable, Sendable {
    private static let label = "stratus.zone-envelope.v1"
    /// Keys that a zone can have had; each takes some hundred bytes.
    static let keyLimit = 1_000
    /// Keys that the shares of a zone can have had.
    static let shareKeyLimit = 5_000

    var keys: [WrappedZoneKey]

    var bytes: [UInt8] {
        keys.reduce(into: Frames(Self.label)) {
            $0.add($1.accountKeyID.bytes)
            $0.add($1.zoneKeyID.bytes)
            $0.add($1.sealed)
        }.bytes
    }

    init(keys: [WrappedZoneKey]) { self.keys = keys }

    init(_ bytes: [UInt8]) throws(FrameReader.Malformed) {
        var reader = try FrameReader(bytes, label: Self.label)
        keys = []
        while !reader.isAtEnd {
            keys.append(
                WrappedZoneKey(
                    accountKeyID: try reader.keyID(), zoneKeyID: try reader.keyID(), sealed: try reader.frame()))
        }
    }
}

extension FrameReader {
    mutating func keyID() throws(Malformed) -> KeyID {
        guard let id = KeyID(try frame()) else { throw Malformed() }
        return id
    }
}
