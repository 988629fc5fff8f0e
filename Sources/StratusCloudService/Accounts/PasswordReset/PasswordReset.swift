import StratusCloudModel
import StratusCloudStore

/// A link that lets somebody choose a new password, under the hash of its secret.
struct PasswordReset: StoredValue, Hashable {
    static let format: UInt8 = 1

    /// Milliseconds since 1970-01-01 UTC.
    var expires: Int64
    /// The account's number of sessions when the link was made. A new password raises it, which voids this link and all
    /// others.
    var accountEpoch: UInt64

    init(expires: Int64, accountEpoch: UInt64) {
        self.expires = expires
        self.accountEpoch = accountEpoch
    }

    init(from reader: inout ByteReader) throws {
        self.init(expires: try reader.signed(), accountEpoch: try reader.unsigned())
    }

    func write(to writer: inout ByteWriter) {
        writer.write(signed: expires)
        writer.write(unsigned: accountEpoch)
    }
}

extension AccountSessionID {
    /// Where the link lies whose secret this is.
    var passwordResetKey: Key { DirectoryKey.passwordReset(hash, of: accountID) }
}

extension DirectoryKey {
    static func passwordReset(_ hash: [UInt8], of accountID: String) -> Key {
        var encoder = TupleEncoder()
        encoder.append(byte: Tag.passwordReset.rawValue)
        encoder.append(string: accountID)
        encoder.append(rest: hash)
        return encoder.key
    }

    static func passwordResets(of accountID: String) -> KeyRange { KeyRange(prefix: key(.passwordReset, accountID)) }
}
