import StratusCloudModel
import StratusCloudStore

/// Keys of what is shared: all but the news and the changes of the directory are of the zone that it is in, and cleared with it
/// (``DeletedShares``).
///
/// | range | value |
/// | --- | --- |
/// | share / zone / share | ``StoredShare`` |
/// | participant / zone / share / participant | ``StoredParticipant`` |
/// | access / zone / user / share | ``ShareGrant``; there for those who accepted, and for nobody else |
/// | member / zone / record name | ``ShareMember``; in zones with shares of hierarchies |
/// | shareFeed / zone / share / version | ``ShareFeedEntry`` of what is in the share |
/// | shareGone / zone / share / version | ``ShareFeedEntry`` of what left it |
/// | shareDeparture / zone / record name / version | ``ShareDeparture``; one for each entry of shareGone |
/// | shareLink / zone / short GUID | ``StoredShareLink`` |
/// | sharedNews / version of the database | ``SharedNews``, until they are told |
/// | directoryChange / key in the directory | what is to stand there, or nothing; until it does |
/// | shareKeys / zone / share | ``StoredShareKeys`` |
/// | shareMemberKeys / zone / share / participant | ``StoredMemberKeys`` |
extension Keyspace {
    static func share(zone: ZoneNumber, _ share: ShareNumber) -> Key { prefix(.share, zone: zone).key(share.rawValue) }

    static func shares(zone: ZoneNumber) -> KeyRange { KeyRange(prefix: prefix(.share, zone: zone).key) }

    static func participant(zone: ZoneNumber, _ share: ShareNumber, _ number: UInt64) -> Key {
        sharePrefix(.participant, zone: zone, share).key(number)
    }

    static func participants(zone: ZoneNumber, _ share: ShareNumber) -> KeyRange {
        KeyRange(prefix: sharePrefix(.participant, zone: zone, share).key)
    }

    /// The share in the key of a participant.
    static func share(ofParticipant key: Key) throws -> ShareNumber {
        var decoder = TupleDecoder(key, skipping: 1)
        guard decoder.unsigned() != nil, let share = decoder.unsigned() else { throw ByteReader.Malformed() }
        return ShareNumber(rawValue: share)
    }

    static func access(zone: ZoneNumber, of user: String, _ share: ShareNumber) -> Key {
        accessPrefix(zone: zone, of: user).key(share.rawValue)
    }

    /// All that a user may see of a zone.
    static func access(zone: ZoneNumber, of user: String) -> KeyRange {
        KeyRange(prefix: accessPrefix(zone: zone, of: user).key)
    }

    static func member(zone: ZoneNumber, _ name: String) -> Key {
        var encoder = prefix(.member, zone: zone)
        encoder.append(rest: name.utf8)
        return encoder.key
    }

    /// The start of a share's feed: `tag` is ``Tag/shareFeed`` or ``Tag/shareGone``.
    static func sharePrefix(_ tag: Tag, zone: ZoneNumber, _ share: ShareNumber) -> TupleEncoder {
        var encoder = prefix(tag, zone: zone)
        encoder.append(unsigned: share.rawValue)
        return encoder
    }

    static func shareLink(zone: ZoneNumber, _ shortGUID: String) -> Key {
        var encoder = prefix(.shareLink, zone: zone)
        encoder.append(rest: shortGUID.utf8)
        return encoder.key
    }

    /// The short GUID in a ``shareLink(zone:_:)``.
    static func shortGUID(of key: Key) throws -> String {
        var decoder = TupleDecoder(key, skipping: 1)
        guard decoder.unsigned() != nil, let guid = String(validating: decoder.rest(), as: UTF8.self) else {
            throw ByteReader.Malformed()
        }
        return guid
    }

    static func sharedNews(version: UInt64) -> Key { prefix(.sharedNews).key(version) }
    static var sharedNews: KeyRange { KeyRange(prefix: prefix(.sharedNews).key) }

    static func directoryChange(of key: Key) -> Key {
        var encoder = prefix(.directoryChange)
        encoder.append(rest: key.bytes)
        return encoder.key
    }

    /// The key in the directory that ``directoryChange(of:)`` is about.
    static func directoryKey(of change: Key) -> Key { Key(Array(change.bytes.dropFirst())) }

    static var directoryChanges: KeyRange { KeyRange(prefix: prefix(.directoryChange).key) }

    private static func accessPrefix(zone: ZoneNumber, of user: String) -> TupleEncoder {
        var encoder = prefix(.access, zone: zone)
        encoder.append(string: user)
        return encoder
    }
}

/// Stands for a share in keys; never used again in its zone.
struct ShareNumber: RawRepresentable, Hashable, Sendable, Comparable {
    let rawValue: UInt64

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
