import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore

/// A mail that waits. What it says is read when it is sent.
struct StoredMail: StoredValue, Hashable {
    static let format: UInt8 = 1

    /// What it is about.
    enum Subject: Hashable {
        /// A participant is invited.
        case invitation(CloudContext, shortGUID: String, participantID: String)
        /// Somebody wants an account, and came by a share link, perhaps.
        case signUp(shortGUID: String?)
        /// A developer is invited; the hash under which the invitation lies.
        case team([UInt8])
        /// Somebody forgot the password of the account that may have the address.
        case passwordReset
        /// The account with the address has another password.
        case passwordNotice
    }

    /// Where it lies in the queue; not part of the value.
    var key = Key()
    var subject: Subject
    var address: String
    /// Milliseconds since 1970-01-01 UTC.
    var queued: Int64
    /// Times that it was tried.
    var attempts: UInt64 = 0

    init(_ subject: Subject, to address: String, queued: Int64) {
        self.subject = subject
        self.address = address
        self.queued = queued
    }

    init(from reader: inout ByteReader) throws {
        switch try reader.byte() {
        case 0:
            subject = .invitation(
                try CloudContext(from: &reader), shortGUID: try reader.string(), participantID: try reader.string())
        case 1: subject = .signUp(shortGUID: try reader.optional { try $0.string() })
        case 2: subject = .team(Array(try reader.slice()))
        case 3: subject = .passwordReset
        case 4: subject = .passwordNotice
        default: throw ByteReader.Malformed()
        }
        address = try reader.string()
        queued = try reader.signed()
        attempts = try reader.unsigned()
    }

    func write(to writer: inout ByteWriter) {
        switch subject {
        case .invitation(let context, let shortGUID, let participantID):
            writer.write(byte: 0)
            context.write(to: &writer)
            writer.write(shortGUID)
            writer.write(participantID)
        case .signUp(let shortGUID):
            writer.write(byte: 1)
            writer.write(optional: shortGUID) { $0.write($1) }
        case .team(let hash):
            writer.write(byte: 2)
            writer.write(bytes: hash)
        case .passwordReset: writer.write(byte: 3)
        case .passwordNotice: writer.write(byte: 4)
        }
        writer.write(address)
        writer.write(signed: queued)
        writer.write(unsigned: attempts)
    }

    /// What it is known by.
    func id() throws(CloudError) -> String {
        guard let parts = try? MailKey.parts(key) else { throw CloudError(.internalError, "internal error") }
        return parts.id
    }
}

/// How much mail somebody caused, or got, since a moment.
struct MailCount: StoredValue, Hashable {
    static let format: UInt8 = 1

    var since: Int64
    var count: UInt64

    init(since: Int64, count: UInt64 = 0) {
        self.since = since
        self.count = count
    }

    init(from reader: inout ByteReader) throws {
        self.init(since: try reader.signed(), count: try reader.unsigned())
    }

    func write(to writer: inout ByteWriter) {
        writer.write(signed: since)
        writer.write(unsigned: count)
    }
}

/// Where mail lies, in a partition of its own. The tags are stored; never renumber them.
///
/// | range | value |
/// | --- | --- |
/// | queue / due / identifier | ``StoredMail`` |
/// | count / whose | ``MailCount`` |
enum MailKey {
    private static let queueTag: UInt8 = 0x01
    private static let countTag: UInt8 = 0x02

    static var queue: KeyRange { KeyRange(prefix: Key([queueTag])) }
    static var counts: KeyRange { KeyRange(prefix: Key([countTag])) }

    /// - Parameter due: when it is to be tried, in milliseconds since 1970-01-01 UTC.
    static func mail(due: Int64, _ id: String) -> Key {
        var encoder = TupleEncoder()
        encoder.append(byte: queueTag)
        encoder.append(unsigned: UInt64(max(0, due)))
        encoder.append(rest: id.utf8)
        return encoder.key
    }

    /// When a mail is to be tried, and what it is known by.
    static func parts(_ key: Key) throws -> (due: Int64, id: String) {
        var decoder = TupleDecoder(key, skipping: 1)
        guard let due = decoder.unsigned() else { throw ByteReader.Malformed() }
        // The identifier is what stands behind the time.
        let prefix = mail(due: Int64(clamping: due), "").bytes.count
        return (Int64(clamping: due), String(decoding: key.bytes.dropFirst(prefix), as: UTF8.self))
    }

    /// - Parameter name: whose mail is counted; only its hash is kept.
    static func count(_ name: String) -> Key { Key([countTag] + SHA256.hash(Array(name.utf8))) }
}

extension Partition {
    /// Mail that waits, of all containers.
    static let mail = Partition("mail")
}
