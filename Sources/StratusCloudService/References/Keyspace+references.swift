import StratusCloudStore

/// Keys of who refers to what. All are in the zone of both records.
extension Keyspace {
    /// One entry for each acting reference; the value is the zone's version when it was made.
    static func referrer(zone: ZoneNumber, target: String, _ kind: ActingReference.Kind, source: String) -> Key {
        var encoder = referrers(zone: zone, target: target)
        encoder.append(byte: kind.rawValue)
        encoder.append(rest: source.utf8)
        return encoder.key
    }

    /// The entries of those that go with the target.
    static func deleteSelfReferrers(zone: ZoneNumber, target: String) -> KeyRange {
        referrers(zone: zone, target: target, .deleteSelf)
    }

    /// The entries of those that refer to the target in one way.
    static func referrers(zone: ZoneNumber, target: String, _ kind: ActingReference.Kind) -> KeyRange {
        var encoder = referrers(zone: zone, target: target)
        encoder.append(byte: kind.rawValue)
        return KeyRange(prefix: encoder.key)
    }

    /// The entries of those that hold the target.
    static func holdingReferrers(zone: ZoneNumber, target: String) -> KeyRange {
        let prefix = referrers(zone: zone, target: target)
        var lower = prefix
        lower.append(byte: ActingReference.Kind.validate.rawValue)
        return KeyRange(lower: lower.key, upper: prefix.key.afterAllWithThisPrefix)
    }

    static func referrers(zone: ZoneNumber, target: String) -> TupleEncoder {
        var encoder = prefix(.referrer, zone: zone)
        encoder.append(string: target)
        return encoder
    }

    /// How many refer to a target: ``ReferrerCount``.
    static func referrerCount(zone: ZoneNumber, target: String) -> Key {
        var encoder = prefix(.referrerCount, zone: zone)
        encoder.append(rest: target.utf8)
        return encoder.key
    }

    /// How many records of an author refer to a target with `DELETE_SELF`; only in public databases.
    static func authorReferrers(zone: ZoneNumber, target: String, author: String) -> Key {
        var encoder = prefix(.authorReferrers, zone: zone)
        encoder.append(string: target)
        encoder.append(rest: author.utf8)
        return encoder.key
    }

    /// A deleted target whose `DELETE_SELF` holders are still to be deleted: ``QueuedCascade``.
    static func cascade(zone: ZoneNumber, target: String) -> Key {
        var encoder = prefix(.cascade, zone: zone)
        encoder.append(rest: target.utf8)
        return encoder.key
    }

    static func cascades(zone: ZoneNumber) -> KeyRange { KeyRange(prefix: prefix(.cascade, zone: zone).key) }

    /// The record name that closes a key beginning as `prefix` does.
    static func name(in key: Key, behind prefix: Key) -> String {
        String(decoding: key.bytes.dropFirst(prefix.bytes.count), as: UTF8.self)
    }
}
