import StratusCloudModel
import StratusCloudStore

/// Somebody who takes part in a share, or was invited. The owner has no entry.
struct StoredParticipant: StoredValue, Hashable {
    static let format: UInt8 = 1

    /// In the share; never used again.
    var number: UInt64
    /// As answers name the participant.
    var participantID: String
    /// Who accepted; nil before.
    var user: StoredPerson?
    /// Who is invited; nil for public users and those with a one-time link.
    var lookup: UserLookup?
    var role: ShareRole
    var permission: SharePermission
    /// The participant's own link, from the invitation to the end: who used it finds back by it, and it goes with them.
    var oneTimeGUID: String?
    var isApprovedRequester = false
    /// Milliseconds since 1970-01-01 UTC.
    var added: Int64

    init(
        number: UInt64, participantID: String, user: StoredPerson? = nil, lookup: UserLookup?, role: ShareRole,
        permission: SharePermission, added: Int64
    ) {
        self.number = number
        self.participantID = participantID
        self.user = user
        self.lookup = lookup
        self.role = role
        self.permission = permission
        self.added = added
    }

    var hasAccepted: Bool { user != nil }

    /// The participant's own link as long as nobody used it.
    var openGUID: String? { hasAccepted ? nil : oneTimeGUID }

    var grant: ShareGrant { ShareGrant(permission: permission, role: role, participant: number) }

    init(from reader: inout ByteReader) throws {
        number = try reader.unsigned()
        participantID = try reader.string()
        user = try reader.optional { try StoredPerson(from: &$0) }
        lookup = try reader.optional { try UserLookup(from: &$0) }
        role = try ShareRole(stored: try reader.byte())
        permission = try SharePermission(stored: try reader.byte())
        oneTimeGUID = try reader.optional { try $0.string() }
        isApprovedRequester = try reader.byte() != 0
        added = try reader.signed()
    }

    func write(to writer: inout ByteWriter) {
        writer.write(unsigned: number)
        writer.write(participantID)
        writer.write(optional: user) { $1.write(to: &$0) }
        writer.write(optional: lookup) { $1.write(to: &$0) }
        writer.write(byte: role.stored)
        writer.write(byte: permission.stored)
        writer.write(optional: oneTimeGUID) { $0.write($1) }
        writer.write(byte: isApprovedRequester ? 1 : 0)
        writer.write(signed: added)
    }
}

/// What somebody who accepted may do in a share: all that a request of theirs must read of it.
struct ShareGrant: StoredValue, Hashable {
    static let format: UInt8 = 1

    var permission: SharePermission
    var role: ShareRole
    /// The ``StoredParticipant/number``.
    var participant: UInt64

    init(permission: SharePermission, role: ShareRole, participant: UInt64) {
        self.permission = permission
        self.role = role
        self.participant = participant
    }

    init(from reader: inout ByteReader) throws {
        permission = try SharePermission(stored: try reader.byte())
        role = try ShareRole(stored: try reader.byte())
        participant = try reader.unsigned()
    }

    func write(to writer: inout ByteWriter) {
        writer.write(byte: permission.stored)
        writer.write(byte: role.stored)
        writer.write(unsigned: participant)
    }
}

extension UserLookup {
    // The numbers are stored; never renumber them.
    fileprivate init(from reader: inout ByteReader) throws {
        switch try reader.byte() {
        case 1: self = .emailAddress(try reader.string())
        case 2: self = .phoneNumber(try reader.string())
        case 3: self = .userRecordName(try reader.string())
        default: throw ByteReader.Malformed()
        }
    }

    fileprivate func write(to writer: inout ByteWriter) {
        let (kind, text): (UInt8, String) =
            switch self {
            case .emailAddress(let text): (1, text)
            case .phoneNumber(let text): (2, text)
            case .userRecordName(let text): (3, text)
            // No invitation is made of a hash.
            case .contactHash: (3, "")
            }
        writer.write(byte: kind)
        writer.write(text)
    }
}
