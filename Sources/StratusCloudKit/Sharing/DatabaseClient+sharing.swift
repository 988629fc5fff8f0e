import Foundation
import StratusCloudModel

extension DatabaseClient {
    /// Refuses shares where there can be none, before any network.
    func checkShares(_ records: [CKRecord]) throws {
        for share in records {
            guard let share = share as? CKShare else { continue }
            try require([.private, .shared], "Nothing can be shared")
            guard !share.recordID.zoneID.isDefault else {
                throw NSError.cloudKit(
                    .invalidArguments,
                    "Only records of custom zones can be shared: share '\(share.recordID.recordName)'.")
            }
            if let root = share.state.withLock({ $0.sharing?.rootRecordID }), root.zoneID != share.recordID.zoneID {
                throw NSError.cloudKit(
                    .invalidArguments,
                    "The share '\(share.recordID.recordName)' is in another zone than the record '\(root.recordName)' that "
                        + "it shares.")
            }
        }
    }

    /// What links lead to; one result for each, in order.
    func shareMetadatas(
        for urls: [URL], wantsRootRecord: Bool = false, desiredKeys: [CKRecord.FieldKey]? = nil
    ) async throws -> ItemResults<URL, CKShareMetadata> {
        guard !urls.isEmpty else { return [] }
        let names = try await writersNames()
        let secrets = Dictionary(
            urls.compactMap { ShareLinks.received($0) }.map { ($0.shortGUID, $0.secret) }
        ) { first, _ in first }
        return try await links(urls, { try ShareLinks.shortGUID(of: $0) }) { shortGUIDs in
            let requests = shortGUIDs.map {
                ShareLinkRequest(shortGUID: $0, wantsRootRecord: wantsRootRecord, rootDesiredKeys: desiredKeys)
            }
            return try await metadatas(.resolveShares(requests), secrets, names)
        }
    }

    /// Lets the current user into shares; one result for each, in order.
    func acceptShares(_ metadatas: [CKShareMetadata]) async throws -> ItemResults<CKShareMetadata, CKShare> {
        guard !metadatas.isEmpty else { return [] }
        let names = try await writersNames()
        func shortGUID(_ metadata: CKShareMetadata) throws -> String {
            guard metadata.containerIdentifier == connection.containerIdentifier else {
                throw NSError.cloudKit(
                    .badContainer, "The share is one of the container '\(metadata.containerIdentifier)'.")
            }
            guard let shortGUID = metadata.values.shortGUID else {
                throw NSError.cloudKit(
                    .invalidArguments,
                    "The metadata is of a share of another cloud. Fetch it again, by the share's link.")
            }
            return shortGUID
        }
        let results = try await links(metadatas, shortGUID) { shortGUIDs in
            let requests = shortGUIDs.map { ShareLinkRequest(shortGUID: $0) }
            return try await self.metadatas(.acceptShares(requests), [:], names)
        }
        var accepted: ItemResults<CKShareMetadata, CKShare> = []
        for (metadata, result) in results {
            var share = result.map(\.share)
            if case .success(let joined) = share, let secret = metadata.values.secret,
                let shortGUID = metadata.values.shortGUID
            {
                // What keeps one share's keys away is no matter of the others.
                do {
                    try await join(ReceivedLink(secret: secret, shortGUID: shortGUID), joined, names)
                } catch {
                    share = .failure(error)
                }
            }
            accepted.append((metadata, share))
        }
        return accepted
    }

    /// Asks the owners of shares for access. Nobody is told whether a link leads anywhere.
    func requestAccess(to urls: [URL]) async throws -> ItemResults<URL, Void> {
        guard !urls.isEmpty else { return [] }
        _ = try await writersNames()
        return try await links(urls, { try ShareLinks.shortGUID(of: $0) }) { shortGUIDs in
            _ = try await send(.requestShareAccess(shortGUIDs))
            return shortGUIDs.map { _ in .success(()) }
        }
    }

    /// People as participants that may be invited; one result for each, in order. Whoever cannot be found by others is invited
    /// all the same, without a name.
    func shareParticipants(
        for infos: [CKUserIdentity.LookupInfo]
    ) async throws -> ItemResults<CKUserIdentity.LookupInfo, CKShareParticipant> {
        try Self.checkCount(infos.count)
        guard !infos.isEmpty else { return [] }
        _ = try await writersNames()
        let found = Dictionary(try await identities(for: infos.filter(\.isWord))) { first, _ in first }
        return infos.map { info in
            guard info.isWord else {
                return (info, .failure(NSError.cloudKit(.invalidArguments, "There is nobody without a name.")))
            }
            let person = found[info]
            let identity = CKUserIdentity(
                lookupInfo: info, nameComponents: person?.nameComponents,
                userRecordID: info.userRecordID ?? person?.userRecordID)
            return (info, .success(CKShareParticipant(inviting: identity)))
        }
    }

    // MARK: Links

    /// Asks about the items that have links, as many at a time as a request may hold.
    private func links<Item, Value>(
        _ items: [Item], _ shortGUID: (Item) throws -> String,
        _ ask: ([String]) async throws -> [Result<Value, any Error>]
    ) async throws -> ItemResults<Item, Value> {
        try Self.checkCount(items.count)
        let shortGUIDs = items.map { item in Result { try shortGUID(item) } }
        let asked = shortGUIDs.compactMap { try? $0.get() }
        var answers: [Result<Value, any Error>] = []
        for start in stride(from: 0, to: asked.count, by: CloudLimits.linksPerRequest) {
            let part = Array(asked[start..<min(start + CloudLimits.linksPerRequest, asked.count)])
            let results = try await ask(part)
            guard results.count == part.count else {
                throw NSError.cloudKit(.internalError, "The answer has another number of links than the request.")
            }
            answers += results
        }
        var rest = answers.makeIterator()
        return zip(items, shortGUIDs).map { item, shortGUID in
            switch shortGUID {
            case .failure(let error): (item, .failure(error))
            case .success: (item, rest.next() ?? .failure(NSError.cloudKit(.internalError, "There is no answer.")))
            }
        }
    }

    private func metadatas(
        _ call: CloudCall, _ secrets: [String: LinkSecret], _ names: IdentityNames
    ) async throws -> [Result<CKShareMetadata, any Error>] {
        let results = try await send(call) { answer throws(CloudTransportError) in try answer.shareLinks() }
        var metadatas: [Result<CKShareMetadata, any Error>] = []
        for result in results {
            switch result {
            case .failed(_, let error): metadatas.append(.failure(NSError.cloudKit(error)))
            case .link(let link):
                let link = link.value
                // The records of a link are of the database in which the current user has them.
                let database = DatabaseClient(connection: connection, scope: link.databaseScope, options: options)
                let records = [link.share] + (link.rootRecord.map { [$0] } ?? [])
                let decoding = RecordDecoding(names: names, opener: await database.opener(for: records, names))
                let secret = secrets[link.request.shortGUID]
                metadatas.append(Result { try ShareDecoding(names: names).metadata(link, secret, decoding) })
            }
        }
        return metadatas
    }
}

extension CKUserIdentity.LookupInfo {
    /// Whether there is something to look for.
    fileprivate var isWord: Bool {
        !(emailAddress ?? phoneNumber ?? userRecordID?.recordName ?? "").isEmpty
    }
}
