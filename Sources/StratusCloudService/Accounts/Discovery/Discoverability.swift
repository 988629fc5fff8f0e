import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore

/// That an account lets itself be found in one container's environment, and everything it is found by there.
///
/// What is looked up are keys that are there for those who said yes and for nobody else. So whoever has no account and
/// whoever does not want to be found are the same to every lookup: a key that does not exist.
struct Discoverability: StoredValue, Hashable {
    static let format: UInt8 = 1

    var context: CloudContext
    var userRecordName: String
    /// Of the e-mail address, and of the phone number if there is one.
    var hashes: [[UInt8]]

    init(context: CloudContext, userRecordName: String, hashes: [[UInt8]]) {
        self.context = context
        self.userRecordName = userRecordName
        self.hashes = hashes
    }

    init(from reader: inout ByteReader) throws {
        context = try CloudContext(from: &reader)
        userRecordName = try reader.string()
        hashes = []
        for _ in 0..<(try reader.unsigned()) { hashes.append(Array(try reader.slice())) }
    }

    func write(to writer: inout ByteWriter) {
        context.write(to: &writer)
        writer.write(userRecordName)
        writer.write(unsigned: UInt64(hashes.count))
        for hash in hashes { writer.write(bytes: hash) }
    }

    /// Lets an account be found, by what it says of itself now.
    static func allow(
        _ account: Account, _ profile: Profile, named userRecordName: String, in context: CloudContext,
        salt: ContactSalt, _ transaction: any WriteTransaction
    ) throws {
        try withdraw(account.id, in: context, transaction)
        let hashes = [account.email, profile.phone].compactMap(\.self).map { salt.hash($0) }
        let entry = Discoverability(context: context, userRecordName: userRecordName, hashes: hashes)
        let found = DiscoverableUser(userRecordName: userRecordName, accountID: account.id)
        transaction.set(DirectoryKey.discoverability(of: account.id, in: context), entry)
        transaction.set(DirectoryKey.discoverableUser(userRecordName, in: context), found)
        for hash in hashes { transaction.set(DirectoryKey.discoverableUser(hash: hash, in: context), found) }
    }

    /// Takes away all that an account is found by in a context.
    static func withdraw(_ accountID: String, in context: CloudContext, _ transaction: any WriteTransaction) throws {
        let key = DirectoryKey.discoverability(of: accountID, in: context)
        guard let entry: Discoverability = try transaction.value(at: key) else { return }
        transaction.clear(key)
        transaction.clear(DirectoryKey.discoverableUser(entry.userRecordName, in: context))
        for hash in entry.hashes { transaction.clear(DirectoryKey.discoverableUser(hash: hash, in: context)) }
    }

    /// Everywhere that an account may be found.
    static func all(of accountID: String, in transaction: any ReadTransaction) throws -> [Discoverability] {
        try transaction.allValues(in: DirectoryKey.discoverability(of: accountID))
    }
}

/// Somebody who may be found, under each key that leads there.
struct DiscoverableUser: StoredValue, Hashable {
    static let format: UInt8 = 1

    var userRecordName: String
    var accountID: String

    init(userRecordName: String, accountID: String) {
        self.userRecordName = userRecordName
        self.accountID = accountID
    }

    init(from reader: inout ByteReader) throws {
        self.init(userRecordName: try reader.string(), accountID: try reader.string())
    }

    func write(to writer: inout ByteWriter) {
        writer.write(userRecordName)
        writer.write(accountID)
    }
}

/// What a context puts in front of addresses and numbers before they are hashed, so that hashes of one container are
/// worth nothing in another and none can be looked up in a table made before.
struct ContactSalt: Hashable {
    /// Bytes of a salt.
    static let length = 16

    let bytes: [UInt8]

    /// The salt of a context; nil before anybody there could be found.
    static func read(of context: CloudContext, in transaction: any ReadTransaction) throws -> ContactSalt? {
        try transaction.get(DirectoryKey.contactSalt(of: context)).map { ContactSalt(bytes: $0) }
    }

    /// The salt of a context; `proposed` from now on if there is none yet.
    static func make(
        of context: CloudContext, _ proposed: [UInt8], in transaction: any WriteTransaction
    ) throws -> ContactSalt {
        if let salt = try read(of: context, in: transaction) { return salt }
        transaction.set(DirectoryKey.contactSalt(of: context), proposed)
        return ContactSalt(bytes: proposed)
    }

    /// - Parameter handle: a normalized e-mail address or phone number.
    func hash(_ handle: String) -> [UInt8] { SHA256.hash(bytes + Array(handle.utf8)) }
}

/// The hashes of whom a user knows.
struct AddressBook: StoredValue, Hashable {
    static let format: UInt8 = 1

    /// Each once, in the order they came.
    var hashes: [[UInt8]]

    init(_ hashes: [[UInt8]]) {
        var seen: Set<[UInt8]> = []
        self.hashes = hashes.filter { seen.insert($0).inserted }
    }

    init(from reader: inout ByteReader) throws {
        hashes = []
        for _ in 0..<(try reader.unsigned()) { hashes.append(Array(try reader.slice())) }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(unsigned: UInt64(hashes.count))
        for hash in hashes { writer.write(bytes: hash) }
    }
}
