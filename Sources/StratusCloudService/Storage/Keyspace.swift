import StratusCloudModel
import StratusCloudStore

/// Where everything lies inside the partition of one database. The first byte names the range; the tags are stored,
/// so never renumber them.
///
/// | range | value |
/// | --- | --- |
/// | zone / name | ``ZoneHeader`` |
/// | record / zone / record name | ``NameEntry``: the record's version, or a ``Tombstone`` in zones with a change feed |
/// | version / zone / version | ``StoredRecord``, under the version of its latest change; in its order, the zone's feed |
/// | tombstone / zone / version | ``TombstoneEntry``; one entry a deleted record |
/// | zoneChange / version | zone name; one entry a zone |
/// | zoneTombstone / version | ``ZoneTombstone``; one entry a name of deleted zones |
/// | deletedName / name | the version in zoneTombstone |
/// | history / number | ``PastHistory`` |
/// | index / zone / index number / value / record name | ``IndexHint``, where the record lay when the entry was written |
/// | token / zone / index number / word / record name | likewise |
/// | cell / zone / index number / cell / record name | likewise |
/// | referrer / zone / target / kind / record name | the zone's version when the reference was made |
/// | referrerCount / zone / target | ``ReferrerCount`` |
/// | authorReferrers / zone / target / author | how many records of an author refer to the target with `DELETE_SELF` |
/// | cascade / zone / target | ``QueuedCascade``: the target was deleted, its holders are still to be deleted |
/// | deletedZone / zone | its contents are still to be cleared, from this key on: the zone's own at first |
/// | counter | ``DatabaseCounters`` |
/// | usage | ``Usage`` |
/// | receipt / user / request / zone name | ``ModificationReceipt`` |
/// | clientToken / zone / user / client | ``StoredClientToken`` |
/// | assetUse / zone / record name / asset | –; a record has these bytes |
/// | assetBlob / asset | ``StoredBlob`` |
/// | assetUpload / account / upload | ``StoredUpload`` |
/// | pendingUploads / account | ``PendingUploads`` |
/// | assetDue / kind / time / what | –; for the collection of unused bytes |
/// | share, access, member … | see the keys of what is shared in `Sharing` |
/// | fileName / zone / folder / comparison key of the name | record name of the item; see ``FileIndex`` |
/// | fileDue / zone / kind / time / record name | –; for what is deleted, or given up, when its time is over |
/// | subscription, pushQueue … | see ``SubscriptionKey`` and ``PushKey`` |
/// | webhook … | see ``WebhookKey`` |
///
/// Zones and indexed fields stand in keys as small numbers: the zone's from its header, the field's from the schema.
/// The zone stands first, so that a query in a zone reads only that zone's entries and a deleted zone is a few ranges.
enum Keyspace {
    enum Tag: UInt8 {
        case counter = 0x01
        case history = 0x02
        case zone = 0x10
        case deletedZone = 0x11
        case deletedName = 0x12
        case record = 0x20
        case version = 0x21
        /// Names of records by version, when the records lay under their names; see ``StoredDataUpgrade``.
        case formerChange = 0x30
        case zoneChange = 0x31
        case tombstone = 0x32
        case zoneTombstone = 0x33
        case index = 0x40
        case token = 0x41
        case cell = 0x42
        case referrer = 0x50
        case referrerCount = 0x51
        case cascade = 0x52
        case authorReferrers = 0x53
        case subscription = 0x60
        case subscriptionSummary = 0x61
        case subscriptionIndex = 0x62
        case subscriptionContent = 0x63
        case pushQueue = 0x70
        case pushCounter = 0x71
        case pushDevice = 0x72
        case webhook = 0x78
        case webhookQueue = 0x79
        case webhookCount = 0x7A
        case webhookDelivery = 0x7B
        case assetUse = 0x80
        case assetBlob = 0x81
        case assetUpload = 0x82
        case assetDue = 0x83
        case pendingUploads = 0x84
        case fileName = 0x88
        case fileDue = 0x89
        case usage = 0x90
        case receipt = 0x91
        case clientToken = 0x92
        case share = 0xA0
        case participant = 0xA1
        case access = 0xA2
        case member = 0xA3
        case shareFeed = 0xA4
        case shareGone = 0xA5
        case shareLink = 0xA6
        case sharedNews = 0xA7
        case shareKeys = 0xA8
        case shareMemberKeys = 0xA9
        case directoryChange = 0xAA
        case shareDeparture = 0xAB
        case deviceBackup = 0xC8
        case deviceBackupFile = 0xC9
    }

    /// The kinds of rows that indexes are made of.
    static let indexTags: [Tag] = [.index, .token, .cell]

    static let counters = Key([Tag.counter.rawValue])
    static let usage = Key([Tag.usage.rawValue])

    static func zone(_ name: String) -> Key {
        var encoder = TupleEncoder()
        encoder.append(byte: Tag.zone.rawValue)
        encoder.append(rest: name.utf8)
        return encoder.key
    }

    static var zones: KeyRange { KeyRange(prefix: Key([Tag.zone.rawValue])) }

    /// The name in the ``zone(_:)``; nil for a key of anything else.
    static func zoneName(of key: Key) -> String? {
        guard key.bytes.first == Tag.zone.rawValue else { return nil }
        return String(validating: key.bytes.dropFirst(), as: UTF8.self)
    }

    static func deletedZone(_ number: ZoneNumber) -> Key { prefix(.deletedZone, zone: number).key }
    static var deletedZones: KeyRange { KeyRange(prefix: Key([Tag.deletedZone.rawValue])) }

    static func deletedZoneNumber(_ key: Key) -> ZoneNumber? {
        var decoder = TupleDecoder(key, skipping: 1)
        return decoder.unsigned().map { ZoneNumber(rawValue: $0) }
    }

    static func record(zone: ZoneNumber, name: String) -> Key {
        var encoder = prefix(.record, zone: zone)
        encoder.append(rest: name.utf8)
        return encoder.key
    }

    static func version(zone: ZoneNumber, _ version: UInt64) -> Key { prefix(.version, zone: zone).key(version) }

    /// The records of all zones.
    static var versions: KeyRange { KeyRange(prefix: Key([Tag.version.rawValue])) }

    static func tombstone(zone: ZoneNumber, version: UInt64) -> Key { prefix(.tombstone, zone: zone).key(version) }

    static func zoneChange(version: UInt64) -> Key { prefix(.zoneChange).key(version) }
    static func zoneTombstone(version: UInt64) -> Key { prefix(.zoneTombstone).key(version) }

    static func deletedName(_ zoneName: String) -> Key {
        var encoder = prefix(.deletedName)
        encoder.append(rest: zoneName.utf8)
        return encoder.key
    }

    static func receipt(of user: String, _ requestID: String, in zoneName: String) -> Key {
        var encoder = prefix(.receipt)
        encoder.append(string: user)
        encoder.append(string: requestID)
        encoder.append(rest: zoneName.utf8)
        return encoder.key
    }

    /// All receipts of one user.
    static func receipts(of user: String) -> KeyRange {
        var encoder = prefix(.receipt)
        encoder.append(string: user)
        return KeyRange(prefix: encoder.key)
    }

    static func history(_ number: UInt64) -> Key { prefix(.history).key(number) }

    /// The start of a range.
    static func prefix(_ tag: Tag) -> TupleEncoder {
        var encoder = TupleEncoder()
        encoder.append(byte: tag.rawValue)
        return encoder
    }

    /// The start of everything that a range keeps for one zone.
    static func prefix(_ tag: Tag, zone: ZoneNumber) -> TupleEncoder {
        var encoder = prefix(tag)
        encoder.append(unsigned: zone.rawValue)
        return encoder
    }

    /// The start of one index: `tag` is ``Tag/index``, ``Tag/token`` or ``Tag/cell``.
    static func prefix(_ tag: Tag, zone: ZoneNumber, index: IndexNumber) -> TupleEncoder {
        var encoder = prefix(tag, zone: zone)
        encoder.append(unsigned: index.rawValue)
        return encoder
    }

    /// All that a zone holds, to be cleared with it, in the order of the keys.
    static func contents(of zone: ZoneNumber) -> [KeyRange] {
        let tags: [Tag] = [
            .record, .version, .tombstone, .index, .token, .cell, .referrer, .referrerCount, .cascade, .authorReferrers,
            .share, .participant, .access, .member, .shareFeed, .shareGone, .shareLink, .shareKeys, .shareMemberKeys,
            .clientToken, .shareDeparture, .fileName, .fileDue,
        ]
        return tags.map { KeyRange(prefix: prefix($0, zone: zone).key) }.sorted { $0.lower < $1.lower }
    }
}

extension TupleEncoder {
    /// The key of a numbered entry of the range that begins so.
    func key(_ number: UInt64) -> Key {
        var encoder = self
        encoder.append(unsigned: number)
        return encoder.key
    }
}

/// Stands for a zone in keys; never used again after the zone is deleted.
struct ZoneNumber: RawRepresentable, Hashable, Sendable, Comparable {
    let rawValue: UInt64

    /// The default zone of every database.
    static let `default` = ZoneNumber(rawValue: 1)
    /// The first that a custom zone can have.
    static let firstCustom = ZoneNumber(rawValue: 16)

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Stands for a field of a record type in index keys; unique within a container's environment.
struct IndexNumber: RawRepresentable, Hashable, Sendable {
    let rawValue: UInt64
}
