import StratusCloudModel
import StratusCloudStore

/// A file or folder that another person shares with somebody.
public struct SharedFile: Hashable, Sendable {
    /// The item, as participants see it: in no folder.
    public let item: FileItem
    /// User record name of its owner; see ``FileOwner/other(_:)``.
    public let ownerRecordName: String
    /// The owner.
    public let owner: ShareIdentity
    /// The person's permission.
    public let permission: SharePermission
    /// The short GUID in the link of the share.
    public let shortGUID: String
}

extension CloudService {
    /// Lists what others share with the caller, by owner, up to ``FileLimits/sharedItemsListed`` items.
    public func sharedFiles(as caller: Caller) async throws(CloudError) -> [SharedFile] {
        try Authorization.checkDatabase(.shared, caller)
        let noted = try await reading(.sharedDatabase(of: caller.authorRecordName, in: caller.context)) {
            try SharedZone.all(in: $0)
        }
        let owners = noted.filter { $0.zoneID.zoneName == FileFormat.zoneName }.compactMap(\.zoneID.ownerRecordName)
        var found: [SharedFile] = []
        for owner in owners.sorted() {
            found += try await sharedFiles(of: owner, as: caller)
            if found.count >= FileLimits.sharedItemsListed { break }
        }
        return Array(found.prefix(FileLimits.sharedItemsListed))
    }

    private func sharedFiles(of owner: String, as caller: Caller) async throws(CloudError) -> [SharedFile] {
        try await readingFiles(of: .other(owner), as: caller, otherwise: []) { files in
            try files.sharedFiles(of: owner)
        }
    }

    /// Returns an item that another person shares with the caller, by the name of its record.
    /// - Throws: `notFound`, also for an item that is only part of something shared.
    public func sharedFile(
        named recordName: String, of owner: String, as caller: Caller
    ) async throws(CloudError) -> SharedFile {
        let found = try await sharedFiles(of: owner, as: caller).first { $0.item.id == recordName }
        guard let found else { throw CloudError(.notFound, "nothing of this name is shared with you") }
        return found
    }

    /// Changes the share of an item. An item that is not shared becomes shared by this, with only the people whom the
    /// change lets in.
    /// - Parameters:
    ///   - edit: The change; nil only shares the item.
    ///   - sendsMail: Whether people who are invited by it get the invitation by e-mail.
    /// - Returns: The short GUID of the share's link.
    /// - Throws: `badRequest` if the item cannot be shared: it is in a shared folder, something in it is shared by
    ///   itself, or it is in Recently Deleted. `accessDenied` for items of others, unless the caller administers their share.
    ///   `conflict` if the item or the share was changed meanwhile.
    public func shareFile(
        _ item: FileItem, _ edit: ShareEdit? = nil, sendsMail: Bool = false, of owner: FileOwner = .caller,
        as caller: Caller
    ) async throws(CloudError) -> String {
        if let shortGUID = item.sharedGUID {
            if let edit {
                let link = try await shareLink(shortGUID, as: caller)
                try await editShare(link, edit, sendsMail: sendsMail, as: caller)
            }
            return shortGUID
        }
        guard owner == .caller else { throw CloudError(.accessDenied, "only its owner can share the item") }
        let shortGUID = try await createShare(of: item, try edit?.input(for: nil) ?? ShareInput(), as: caller)
        if sendsMail, case .invite? = edit {
            try await sendInvitations(ofNewParticipantsIn: shortGUID, as: caller)
        }
        return shortGUID
    }

    private func createShare(
        of item: FileItem, _ input: ShareInput, as caller: Caller
    ) async throws(CloudError) -> String {
        var input = input
        input.forRecord = ShareInput.Root(recordName: item.id, recordChangeTag: item.changeTag)
        let title = FieldInput(Field(.scalar(.string(item.name))))
        let operation = RecordOperation(
            .create,
            RecordInput(
                recordType: SystemRecordType.share, fields: [(ShareFields.title, title)],
                share: Boxed(input)))
        let request = ModifyRecordsRequest(operations: [operation], zoneID: Self.filesZoneID, atomic: true)
        switch try await modifyRecords(request, in: .private, as: caller).first {
        case .saved(let share)?:
            guard let shortGUID = share.shortGUID else { throw CloudError(.internalError, "internal error") }
            return shortGUID
        case .failed(_, let error)?: throw error
        case .deleted?, nil: throw CloudError(.internalError, "internal error")
        }
    }
}

extension FileReader {
    /// The roots of what the caller sees.
    fileprivate func sharedFiles(of owner: String) throws -> [SharedFile] {
        guard let access = view.access else { return [] }
        let seen = access.grants.filter { Authorization.permits(.see, $0.value) }.keys.sorted()
        let numbers = seen.prefix(FileLimits.sharedItemsListed)
        let shares = try transaction.get(numbers.map { Keyspace.share(zone: zone, $0) }).compactMap { bytes in
            try bytes.map { try StoredShare(stored: $0) }
        }.filter(\.isLive)
        // One in Recently Deleted is not seen.
        let roots = Dictionary(
            try items(shares.compactMap(\.rootName)).map { ($0.id, $0) }
        ) { first, _ in first }
        return shares.compactMap { share in
            guard let item = share.rootName.flatMap({ roots[$0] }), let grant = access.grants[share.number] else {
                return nil
            }
            return SharedFile(
                item: item, ownerRecordName: owner, owner: share.ownerIdentity(owner), permission: grant.permission,
                shortGUID: share.shortGUID)
        }
    }
}
