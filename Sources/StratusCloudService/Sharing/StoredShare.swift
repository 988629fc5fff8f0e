import StratusCloudModel
import StratusCloudStore

/// What the store keeps of a share beside its record and its participants.
struct StoredShare: StoredValue, Hashable {
    static let format: UInt8 = 1

    var number: ShareNumber
    /// Name of the share record.
    var recordName: String
    /// Name of the record whose hierarchy is shared; nil for a whole zone.
    var rootName: String?
    /// What the link is made of.
    var shortGUID: String
    var publicPermission = SharePermission.none
    var denyAccessRequests = true
    /// The owner's names, as they were when the share was last saved by its owner.
    var ownerNames = PersonNames()
    /// The number that the next participant gets.
    var nextParticipant: UInt64 = 1
    /// Those who ask for access, the oldest first.
    var requesters: [StoredPerson] = []
    /// Those who may neither come in nor ask.
    var blocked: [StoredPerson] = []
    /// The zone's version at the latest change of the share or of what belongs to it.
    var changed: UInt64 = 0
    /// The latest change of the feed of which it is no longer known what left.
    var purgedVersion: UInt64 = 0
    /// When the share was stopped: milliseconds since 1970-01-01 UTC.
    var ended: Int64?

    init(number: ShareNumber, recordName: String, rootName: String?, shortGUID: String) {
        self.number = number
        self.recordName = recordName
        self.rootName = rootName
        self.shortGUID = shortGUID
    }

    var isLive: Bool { ended == nil }

    func isBlocked(_ user: String) -> Bool { blocked.contains { $0.userRecordName == user } }

    init(from reader: inout ByteReader) throws {
        self.init(
            number: ShareNumber(rawValue: try reader.unsigned()), recordName: try reader.string(),
            rootName: try reader.optional { try $0.string() }, shortGUID: try reader.string())
        publicPermission = try SharePermission(stored: try reader.byte())
        denyAccessRequests = try reader.byte() != 0
        ownerNames = try PersonNames(from: &reader)
        nextParticipant = try reader.unsigned()
        for _ in 0..<(try reader.unsigned()) { requesters.append(try StoredPerson(from: &reader)) }
        for _ in 0..<(try reader.unsigned()) { blocked.append(try StoredPerson(from: &reader)) }
        changed = try reader.unsigned()
        purgedVersion = try reader.unsigned()
        ended = try reader.optional { try $0.signed() }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(unsigned: number.rawValue)
        writer.write(recordName)
        writer.write(optional: rootName) { $0.write($1) }
        writer.write(shortGUID)
        writer.write(byte: publicPermission.stored)
        writer.write(byte: denyAccessRequests ? 1 : 0)
        ownerNames.write(to: &writer)
        writer.write(unsigned: nextParticipant)
        for people in [requesters, blocked] { writer.write(list: people) { $1.write(to: &$0) } }
        writer.write(unsigned: changed)
        writer.write(unsigned: purgedVersion)
        writer.write(optional: ended) { $0.write(signed: $1) }
    }
}

/// Names as a person gave them.
struct PersonNames: Hashable, Sendable {
    var given: String?
    var family: String?

    init(given: String? = nil, family: String? = nil) {
        self.given = given
        self.family = family
    }

    init(from reader: inout ByteReader) throws {
        given = try reader.optional { try $0.string() }
        family = try reader.optional { try $0.string() }
    }

    func write(to writer: inout ByteWriter) {
        for name in [given, family] { writer.write(optional: name) { $0.write($1) } }
    }
}

/// Somebody with an account in the container.
struct StoredPerson: Hashable, Sendable {
    var userRecordName: String
    var names: PersonNames

    init(userRecordName: String, names: PersonNames) {
        self.userRecordName = userRecordName
        self.names = names
    }

    init(from reader: inout ByteReader) throws {
        self.init(userRecordName: try reader.string(), names: try PersonNames(from: &reader))
    }

    func write(to writer: inout ByteWriter) {
        writer.write(userRecordName)
        names.write(to: &writer)
    }

    var identity: ShareIdentity {
        ShareIdentity(
            userRecordName: userRecordName, givenName: names.given, familyName: names.family,
            lookupInfo: .userRecordName(userRecordName))
    }
}

/// What a short GUID opens in its zone.
struct StoredShareLink: StoredValue, Hashable {
    static let format: UInt8 = 1

    var share: ShareNumber
    /// The participant whose own link this is.
    var participant: UInt64?

    init(share: ShareNumber, participant: UInt64? = nil) {
        self.share = share
        self.participant = participant
    }

    init(from reader: inout ByteReader) throws {
        share = ShareNumber(rawValue: try reader.unsigned())
        participant = try reader.optional { try $0.unsigned() }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(unsigned: share.rawValue)
        writer.write(optional: participant) { $0.write(unsigned: $1) }
    }
}

extension SharePermission {
    // Stored; never renumber them.
    var stored: UInt8 {
        switch self {
        case .none: 0
        case .readOnly: 1
        case .readWrite: 2
        }
    }

    init(stored: UInt8) throws {
        guard let found = Self.allCases.first(where: { $0.stored == stored }) else { throw ByteReader.Malformed() }
        self = found
    }
}

extension ShareRole {
    // Stored; never renumber them.
    var stored: UInt8 {
        switch self {
        case .owner: 0
        case .administrator: 1
        case .user: 2
        case .publicUser: 3
        }
    }

    init(stored: UInt8) throws {
        guard let found = Self.allCases.first(where: { $0.stored == stored }) else { throw ByteReader.Malformed() }
        self = found
    }
}
