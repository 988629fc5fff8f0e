import StratusCloudModel
import StratusCloudStore

/// Where the directory keeps what people say of themselves and who may find them.
extension DirectoryKey {
    static func profile(of accountID: String) -> Key { key(.profile, accountID) }
    static func account(phone: String) -> Key { key(.accountByPhone, phone) }

    /// That an account may be found in a context: ``Discoverability``.
    static func discoverability(of accountID: String, in context: CloudContext) -> Key {
        key(.discoverability, accountID, context.container.rawValue, context.environment.rawValue)
    }

    /// In all contexts.
    static func discoverability(of accountID: String) -> KeyRange { KeyRange(prefix: key(.discoverability, accountID)) }

    /// Who is found by a user record name: ``DiscoverableUser``.
    static func discoverableUser(_ userRecordName: String, in context: CloudContext) -> Key {
        key(.discoverableUser, context.container.rawValue, context.environment.rawValue, userRecordName)
    }

    static func discoverableUsers(in context: CloudContext) -> KeyRange {
        KeyRange(prefix: key(.discoverableUser, context.container.rawValue, context.environment.rawValue))
    }

    /// Who is found by the hash of an e-mail address or phone number: ``DiscoverableUser``.
    static func discoverableUser(hash: [UInt8], in context: CloudContext) -> Key {
        var encoder = TupleEncoder()
        encoder.append(byte: Tag.discoverableHash.rawValue)
        encoder.append(string: context.container.rawValue)
        encoder.append(string: context.environment.rawValue)
        encoder.append(rest: hash)
        return encoder.key
    }

    /// The ``AddressBook`` of a user.
    static func addressBook(of userRecordName: String, in context: CloudContext) -> Key {
        key(.addressBook, context.container.rawValue, context.environment.rawValue, userRecordName)
    }

    static func contactSalt(of context: CloudContext) -> Key {
        key(.contactSalt, context.container.rawValue, context.environment.rawValue)
    }
}
