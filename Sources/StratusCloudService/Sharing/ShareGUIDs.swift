import StratusCloudModel
import StratusCloudStore

/// Where a short GUID leads, in the directory, since a link's address names no container. There for the links of shares that there
/// are, and for no others: the transaction that makes a link, or ends it, has it noted or forgotten.
struct ShareGUID: StoredValue, Hashable {
    static let format: UInt8 = 1

    var context: CloudContext
    /// User record name.
    var owner: String
    var zoneName: String

    init(context: CloudContext, owner: String, zoneName: String) {
        self.context = context
        self.owner = owner
        self.zoneName = zoneName
    }

    init(from reader: inout ByteReader) throws {
        self.init(
            context: try CloudContext(from: &reader), owner: try reader.string(), zoneName: try reader.string())
    }

    func write(to writer: inout ByteWriter) {
        context.write(to: &writer)
        writer.write(owner)
        writer.write(zoneName)
    }
}

extension CloudService {
    /// What a batch needs if it saves shares: the names of its caller, and GUIDs for links of single people. Where links lead is for
    /// the directory to know when the batch is sure, so a batch that is refused leaves nothing there.
    func shareSetting(
        _ operations: [PreparedOperation], _ address: DatabaseAddress, _ caller: Caller
    ) async throws(CloudError) -> ShareSetting {
        guard operations.contains(where: { $0.isShare && !$0.kind.isDeletion }), address.storedScope == .private,
            !address.zoneID.isDefault
        else { return ShareSetting() }
        var oneTime = 0
        for operation in operations {
            oneTime +=
                operation.input.share?.value.participants?.count {
                    $0.participantID == nil && $0.lookup == nil
                } ?? 0
        }
        guard oneTime <= ModelLimits.participantsPerShare * operations.count else {
            throw CloudError(.badRequest, "the request has \(oneTime) participants with links of their own")
        }
        var setting = ShareSetting()
        setting.oneTimeGUIDs = (0..<oneTime).map { _ in environment.random.shortGUID() }
        setting.callerNames = try await person(caller.authorRecordName, in: caller.context)?.names ?? PersonNames()
        try await noteSharing(by: address.ownerRecordName, in: caller.context)
        return setting
    }

    /// Where a short GUID leads; nil for one that nobody gave out.
    func shareZone(_ shortGUID: String) async throws(CloudError) -> ShareGUID? {
        guard shortGUID.utf8.count <= ShareLimits.shortGUIDLength else { return nil }
        return try await reading(.directory) { try $0.value(at: DirectoryKey.shareGUID(shortGUID)) }
    }

    /// What is known of a user's person; nil for a name that is none.
    func person(
        _ userRecordName: String, in context: CloudContext
    ) async throws(CloudError) -> SharePerson? {
        try await reading(.directory) { transaction in
            let key = DirectoryKey.account(ofUser: userRecordName, in: context)
            return try transaction.get(key).map {
                try SharePerson.read(accountID: String(decoding: $0, as: UTF8.self), in: transaction)
            }
        }
    }
}

/// What sharing has to know of a person who accepts.
struct SharePerson: Sendable {
    var names: PersonNames
    /// By which invitations find them.
    var handles: [UserLookup]

    static func read(accountID: String, in transaction: any ReadTransaction) throws -> SharePerson {
        let profile = try Profile.read(of: accountID, in: transaction)
        let account: Account? = try transaction.value(at: DirectoryKey.account(id: accountID))
        return SharePerson(
            names: PersonNames(given: profile.givenName, family: profile.familyName),
            handles: [
                account.map { .emailAddress(EmailAddress.normalized($0.email)) },
                profile.phone.map { .phoneNumber($0) },
            ].compactMap(\.self))
    }
}

extension DirectoryKey {
    static func shareGUID(_ shortGUID: String) -> Key { key(.shareGUID, shortGUID) }

    /// The short GUID in a ``shareGUID(_:)``.
    static func shortGUID(of key: Key) throws -> String {
        var decoder = TupleDecoder(key, skipping: 1)
        guard let guid = decoder.string() else { throw ByteReader.Malformed() }
        return guid
    }
}
