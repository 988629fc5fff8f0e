import CloudModel
import CloudStore

/// Where a short GUID leads: noted before the transaction that uses it, so that none that was given out leads nowhere.
/// In the directory, since a link's address names no container.
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
    /// What a batch needs if it makes share links: the names of its caller, and GUIDs that are noted.
    func shareSetting(
        _ operations: [PreparedOperation], _ shortGUIDs: [String], _ address: DatabaseAddress, _ caller: Caller
    ) async throws(CloudError) -> ShareSetting {
        let fresh = shortGUIDs.filter { !$0.isEmpty }
        let isAboutShares = operations.contains { $0.isShare && !$0.kind.isDeletion }
        guard isAboutShares || !fresh.isEmpty, address.storedScope == .private, !address.zoneID.isDefault else {
            return ShareSetting()
        }
        var setting = ShareSetting()
        guard isAboutShares else {
            try await note(fresh, in: address, caller.context)
            return setting
        }
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
        setting.oneTimeGUIDs = (0..<oneTime).map { _ in environment.random.shortGUID() }
        setting.callerNames = try await person(caller.authorRecordName, in: caller.context)?.names ?? PersonNames()
        let links = try await fresh + setting.oneTimeGUIDs + rootGUIDs(operations, address)
        if !links.isEmpty { try await note(links, in: address, caller.context) }
        return setting
    }

    /// The GUIDs that records to be shared have from before.
    private func rootGUIDs(
        _ operations: [PreparedOperation], _ address: DatabaseAddress
    ) async throws(CloudError) -> [String] {
        let roots = operations.compactMap { $0.input.share?.value.forRecord?.recordName }
        guard !roots.isEmpty else { return [] }
        return try await reading(address.partition) { transaction in
            guard let view = try address.view(in: transaction), view.access == nil else { return [] }
            return try transaction.recordRows(roots, in: view.number).compactMap { try $0?.record().shortGUID }
        }
    }

    private func note(
        _ shortGUIDs: [String], in address: DatabaseAddress, _ context: CloudContext
    ) async throws(CloudError) {
        let target = ShareGUID(context: context, owner: address.ownerRecordName, zoneName: address.zoneID.zoneName)
        try await writing(.directory) { transaction in
            for guid in shortGUIDs { transaction.set(DirectoryKey.shareGUID(guid), target) }
        }
        try await noteSharing(by: target.owner, in: context)
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
}
