import StratusCloudModel
import StratusCloudStore

/// Where the subscriptions of a database lie in its partition. Those of a user's shared database lie in the partition
/// of the private one.
///
/// | range | value |
/// | --- | --- |
/// | subscription / scope / user / subscription | ``StoredSubscription`` |
/// | subscriptionSummary | ``SubscriptionSummary`` |
/// | subscriptionIndex / place / user / subscription | – |
/// | subscriptionContent / scope / user / hash of what is watched | name of the subscription |
enum SubscriptionKey {
    static let summary = Key([Keyspace.Tag.subscriptionSummary.rawValue])

    static func subscription(_ id: String, of user: String, _ scope: DatabaseScope) -> Key {
        var encoder = prefix(.subscription, of: user, scope)
        encoder.append(rest: id.utf8)
        return encoder.key
    }

    static func subscriptions(of user: String, _ scope: DatabaseScope) -> KeyRange {
        KeyRange(prefix: prefix(.subscription, of: user, scope).key)
    }

    static func content(_ hash: [UInt8], of user: String, _ scope: DatabaseScope) -> Key {
        var encoder = prefix(.subscriptionContent, of: user, scope)
        encoder.append(rest: hash)
        return encoder.key
    }

    static func index(_ place: WatchedPlace, _ name: SubscriptionName) -> Key {
        var encoder = prefix(of: place)
        encoder.append(string: name.user)
        encoder.append(rest: name.id.utf8)
        return encoder.key
    }

    /// All subscriptions that watch a place.
    static func index(_ place: WatchedPlace) -> KeyRange { KeyRange(prefix: prefix(of: place).key) }

    /// Whose entry of a place's index this is; nil if the key is none.
    static func name(in key: Key, of range: KeyRange) -> SubscriptionName? {
        var decoder = TupleDecoder(key, skipping: range.lower.bytes.count)
        guard let user = decoder.string() else { return nil }
        return SubscriptionName(user: user, id: String(decoding: decoder.rest(), as: UTF8.self))
    }

    private static func prefix(of place: WatchedPlace) -> TupleEncoder {
        var encoder = TupleEncoder()
        encoder.append(byte: Keyspace.Tag.subscriptionIndex.rawValue)
        switch place {
        case .database: encoder.append(byte: 1)
        case .zone(let name):
            encoder.append(byte: 2)
            encoder.append(string: name)
        case .type(let type):
            encoder.append(byte: 3)
            encoder.append(string: type)
        case .value(let type, let field, let bytes):
            encoder.append(byte: 4)
            encoder.append(string: type)
            encoder.append(string: field)
            encoder.append(escaped: bytes)
        }
        return encoder
    }

    private static func prefix(_ tag: Keyspace.Tag, of user: String, _ scope: DatabaseScope) -> TupleEncoder {
        var encoder = TupleEncoder()
        encoder.append(byte: tag.rawValue)
        encoder.append(byte: scope.storedByte)
        encoder.append(string: user)
        return encoder
    }
}

/// Names a subscription in a database.
struct SubscriptionName: Hashable, Sendable {
    var user: String
    var id: String
}

extension DatabaseScope {
    /// Stands in keys and stored values; never renumber them. Notifications use the same numbers.
    var storedByte: UInt8 {
        switch self {
        case .public: 0
        case .private: 1
        case .shared: 2
        }
    }

    init(storedByte: UInt8) throws {
        switch storedByte {
        case 0: self = .public
        case 1: self = .private
        case 2: self = .shared
        default: throw ByteReader.Malformed()
        }
    }
}
