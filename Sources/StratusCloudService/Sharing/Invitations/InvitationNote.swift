import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore

/// That somebody was invited to a share: in the directory, under a digest of how, so that whoever it finds is told without having
/// the link. Only a hint: who is invited now stands with the share, and is read there whenever somebody asks.
struct InvitationNote: StoredValue, Hashable {
    static let format: UInt8 = 1

    var context: CloudContext
    /// User record name of the zone's owner.
    var owner: String
    var zoneName: String
    /// Name of the share record.
    var shareName: String
    /// Which invitation it is: the ``StoredParticipant/participantID``.
    var participantID: String

    init(context: CloudContext, owner: String, zoneName: String, shareName: String, participantID: String) {
        self.context = context
        self.owner = owner
        self.zoneName = zoneName
        self.shareName = shareName
        self.participantID = participantID
    }

    init(of participant: StoredParticipant, to share: StoredShare, in place: ShareLedger.Place) {
        self.init(
            context: place.context, owner: place.owner, zoneName: place.zoneName, shareName: share.recordName,
            participantID: participant.participantID)
    }

    init(from reader: inout ByteReader) throws {
        self.init(
            context: try CloudContext(from: &reader), owner: try reader.string(), zoneName: try reader.string(),
            shareName: try reader.string(), participantID: try reader.string())
    }

    func write(to writer: inout ByteWriter) {
        context.write(to: &writer)
        for text in [owner, zoneName, shareName, participantID] { writer.write(text) }
    }

    /// Where it lies: one for each way in which somebody is invited to a share.
    func key(of lookup: UserLookup) -> Key {
        var writer = ByteWriter()
        context.write(to: &writer)
        for text in [owner, zoneName, shareName] { writer.write(text) }
        return Key(DirectoryKey.shareInvitations(to: lookup).bytes + SHA256.hash(writer.bytes))
    }
}

extension DirectoryKey {
    /// The start of the notes of all that somebody was invited to.
    static func shareInvitations(to lookup: UserLookup) -> Key {
        let (kind, text): (UInt8, String) =
            switch lookup {
            case .emailAddress(let text): (1, text)
            case .phoneNumber(let text): (2, text)
            case .userRecordName(let text): (3, text)
            case .contactHash: (0, "")
            }
        return Key([Tag.invitation.rawValue] + SHA256.hash([kind] + Array(text.utf8)))
    }

    static var shareInvitations: KeyRange { KeyRange(prefix: Key([Tag.invitation.rawValue])) }
}

extension ShareLedger {
    /// Has an invitation noted, or its note forgotten.
    func note(_ participant: StoredParticipant, of share: StoredShare, isOpen: Bool) {
        guard let lookup = participant.lookup else { return }
        let note = InvitationNote(of: participant, to: share, in: place)
        changeDirectory(note.key(of: lookup), to: isOpen ? note.stored : [])
    }
}
