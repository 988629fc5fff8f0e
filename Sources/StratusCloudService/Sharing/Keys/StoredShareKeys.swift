import StratusCloudModel
import StratusCloudStore

/// What the store keeps with a share for encrypted values: bytes that only devices understand.
struct StoredShareKeys: StoredValue, Hashable {
    static let format: UInt8 = 1

    /// Counts the changes; 0 before the first.
    var version: UInt64 = 0
    var state = ShareKeys.State.current
    var envelope: [UInt8]?

    init() {}

    init(from reader: inout ByteReader) throws {
        version = try reader.unsigned()
        state = try ShareKeys.State(stored: try reader.byte())
        envelope = try reader.optional { Array(try $0.slice()) }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(unsigned: version)
        writer.write(byte: state.stored)
        writer.write(optional: envelope) { $0.write(bytes: $1) }
    }

    /// Distinguishes what is kept from all that ever was, of this zone and of others of its name.
    func tag(of share: ShareNumber, zone: ZoneNumber) -> String {
        version == 0 ? "0" : "\(zone.rawValue).\(share.rawValue).\(version)"
    }

    static func read(
        _ share: ShareNumber, zone: ZoneNumber, in transaction: any ReadTransaction
    ) throws -> StoredShareKeys {
        try transaction.value(at: Keyspace.shareKeys(zone: zone, share)) ?? StoredShareKeys()
    }
}

/// What is kept there for one participant.
struct StoredMemberKeys: StoredValue, Hashable {
    static let format: UInt8 = 1

    /// By the participant.
    var proof: [UInt8]?
    /// By the owner.
    var handover: [UInt8]?

    init() {}

    init(from reader: inout ByteReader) throws {
        proof = try reader.optional { Array(try $0.slice()) }
        handover = try reader.optional { Array(try $0.slice()) }
    }

    func write(to writer: inout ByteWriter) {
        for bytes in [proof, handover] { writer.write(optional: bytes) { $0.write(bytes: $1) } }
    }
}

extension ShareKeys.State {
    // Stored; never renumber them.
    var stored: UInt8 {
        switch self {
        case .current: 0
        case .stale: 1
        case .revoked: 2
        }
    }

    init(stored: UInt8) throws {
        guard let found = Self.allCases.first(where: { $0.stored == stored }) else { throw ByteReader.Malformed() }
        self = found
    }
}

extension Keyspace {
    static func shareKeys(zone: ZoneNumber, _ share: ShareNumber) -> Key {
        prefix(.shareKeys, zone: zone).key(share.rawValue)
    }

    static func memberKeys(zone: ZoneNumber, _ share: ShareNumber, _ participant: UInt64) -> Key {
        sharePrefix(.shareMemberKeys, zone: zone, share).key(participant)
    }

    /// Of all participants of a share.
    static func memberKeys(zone: ZoneNumber, _ share: ShareNumber) -> KeyRange {
        KeyRange(prefix: sharePrefix(.shareMemberKeys, zone: zone, share).key)
    }
}

// The keys of a share when somebody goes.
extension ShareLedger {
    /// Notes that somebody who may have the share's keys takes part no more.
    /// - Parameter isOwnWish: whoever leaves stops nobody else from writing.
    func revokeKeys(from participant: UInt64, of share: ShareNumber, isOwnWish: Bool) throws {
        transaction.clear(Keyspace.memberKeys(zone: zone, share, participant))
        var keys = try StoredShareKeys.read(share, zone: zone, in: transaction)
        guard keys.envelope != nil, keys.state != .revoked else { return }
        keys.state = isOwnWish ? .stale : .revoked
        transaction.set(Keyspace.shareKeys(zone: zone, share), keys)
    }

    /// Forgets the keys of a share that is stopped.
    func clearKeys(of share: ShareNumber) {
        transaction.clear(Keyspace.shareKeys(zone: zone, share))
        transaction.clear(Keyspace.memberKeys(zone: zone, share))
    }
}
