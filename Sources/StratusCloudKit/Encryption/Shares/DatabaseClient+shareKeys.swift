import Foundation
import StratusCloudModel

// Keys of shares, as they are asked for and written.
extension DatabaseClient {
    /// Names asked about in one request.
    private static let namesPerRequest = 200

    /// Whose zone it is.
    func accountPlace(of zoneID: CKRecordZone.ID, _ names: IdentityNames) throws -> AccountPlace {
        let owner = zoneID.ownerName == CKCurrentUserDefaultName ? names.currentUser : zoneID.ownerName
        guard let owner else { throw NSError.cloudKit(.notAuthenticated, "Nobody is signed in.") }
        return AccountPlace(container: connection.containerIdentifier, user: owner)
    }

    func sharePlace(_ shareName: String, in zoneID: CKRecordZone.ID, _ names: IdentityNames) throws -> SharePlace {
        SharePlace(
            owner: try accountPlace(of: zoneID, names), zoneName: zoneID.zoneName, shareName: shareName)
    }

    /// Which shares records belong to.
    func shares(
        of recordNames: [String], in zoneID: CKRecordZone.ID, _ names: IdentityNames
    ) async throws -> SharesAnswer {
        var all = SharesAnswer()
        for start in stride(from: 0, to: recordNames.count, by: Self.namesPerRequest) {
            let part = recordNames[start..<min(start + Self.namesPerRequest, recordNames.count)]
            let request = SharesRequest(zoneID: names.zoneID(zoneID), recordNames: Array(part))
            let answer = try await send(.lookupShares(request)) { answer throws(CloudTransportError) in
                try answer.shares()
            }
            all.shares += answer.shares.filter { share in !all.shares.contains { $0.shareName == share.shareName } }
            all.shareNames.merge(answer.shareNames) { first, _ in first }
        }
        return all
    }

    /// What is kept with a share; nil if there is no such share.
    func shareKeys(
        of shareName: String, in zoneID: CKRecordZone.ID, _ names: IdentityNames
    ) async throws -> ShareKeys? {
        try await shares(of: [shareName], in: zoneID, names).shares.first { $0.shareName == shareName }
    }

    // MARK: The owner

    /// Brings the keys of a share of the current user in line with who takes part.
    /// - Returns: nil if the share is gone.
    func settle(
        _ known: ShareKeys, in zoneID: CKRecordZone.ID, _ names: IdentityNames
    ) async throws -> (share: OwnedShare, known: ShareKeys)? {
        let place = try sharePlace(known.shareName, in: zoneID, names)
        return try await connection.keyring.settle(known, place, try keyRecords(of: names)) { change in
            let update = ShareKeysUpdate(zoneID: names.zoneID(zoneID), shareName: known.shareName, change: change)
            do throws(CloudTransportError) {
                return try await connection.send(.updateShareKeys(update), in: scope, options).shares().shares.first
            } catch .refused(let error, _) where error.code == .conflict || error.code == .notFound {
                return nil
            } catch {
                throw failure(error, isMutating: true)
            }
        } ask: {
            try await shareKeys(of: known.shareName, in: zoneID, names)
        }
    }

    /// The secrets of the links of shares that came, whose keys are brought in line with who takes part on the way.
    ///
    /// What fails here does not keep a share from being shown: its link is then one by which nobody gets keys. It is done again
    /// the next time.
    func shareSecrets(of shares: [Record], _ names: IdentityNames) async -> [CKRecord.ID: ShareSecrets] {
        var secrets: [CKRecord.ID: ShareSecrets] = [:]
        for (zone, found) in Dictionary(grouping: shares, by: \.zoneID) {
            let zoneID = names.zoneID(zone)
            guard let answer = try? await self.shares(of: found.map(\.recordName), in: zoneID, names) else { continue }
            for known in answer.shares {
                guard await canSettle(known, names), let settled = try? await settle(known, in: zoneID, names) else {
                    continue
                }
                secrets[CKRecord.ID(recordName: known.shareName, zoneID: zoneID)] = settled.share.secrets
            }
        }
        return secrets
    }

    /// Whether this device has the owner's keys. One that has none makes none only because it sees a share.
    private func canSettle(_ known: ShareKeys, _ names: IdentityNames) async -> Bool {
        if known.envelope != nil { return true }
        guard let records = try? keyRecords(of: names),
            case .open? = try? await connection.keyring.account(records)
        else { return false }
        return true
    }

    /// Keys for the shares of a batch that are new, before they are made.
    /// - Returns: by share record. A device without the account's keys shares all the same; nobody can be given keys then.
    func prepareShares(_ saves: [PendingSave], _ names: IdentityNames) async -> [CKRecord.ID: ZoneKey] {
        guard scope == .private else { return [:] }
        var keys: [CKRecord.ID: ZoneKey] = [:]
        for save in saves where save.isNewShare {
            guard let place = try? sharePlace(save.recordID.recordName, in: save.recordID.zoneID, names),
                let records = try? keyRecords(of: names)
            else { continue }
            keys[save.recordID] = try? await connection.keyring.prepareShare(place, records)
        }
        return keys
    }

    /// Does what is to be done when shares were saved: keys for those who take part now, none for those who do not. Likewise
    /// done again when it fails.
    func finishShares(_ saves: [PendingSave], _ names: IdentityNames) async {
        guard scope == .private else { return }
        for save in saves {
            guard let share = save.record as? CKShare else { continue }
            let zoneID = save.recordID.zoneID
            guard let known = try? await shareKeys(of: save.recordID.recordName, in: zoneID, names),
                let settled = try? await settle(known, in: zoneID, names)
            else { continue }
            share.adopt(settled.share.secrets)
            guard known.envelope == nil, let records = try? keyRecords(of: names) else { continue }
            // What was encrypted before belongs to those who take part as well.
            _ = try? await reencrypt(zoneID, records, onlyShared: true)
        }
    }

    // MARK: Those who take part

    /// Takes the keys that a share's link brings, and proves the user's own to the owner.
    func join(_ link: ReceivedLink, _ share: CKShare, _ names: IdentityNames) async throws {
        let client = DatabaseClient(connection: connection, scope: .shared, options: options)
        let zoneID = share.recordID.zoneID
        let place = try sharePlace(share.recordID.recordName, in: zoneID, names)
        guard place.owner.user != names.currentUser,
            let known = try await client.shareKeys(of: place.shareName, in: zoneID, names)
        else { return }
        do {
            guard let proof = try await connection.keyring.join(link, known, place, try keyRecords(of: names)) else {
                return
            }
            try await client.prove(proof, place.shareName, in: zoneID, names)
        } catch is DeviceKeyStoreError {
            // The user is in; reading says what keeps the keys away.
        } catch let error as NSError where error.cloudKitCode == .accountTemporarilyUnavailable {
            // Likewise.
        }
    }

    private func prove(
        _ proof: ShareProof, _ shareName: String, in zoneID: CKRecordZone.ID, _ names: IdentityNames
    ) async throws {
        let update = ShareKeysUpdate(
            zoneID: names.zoneID(zoneID), shareName: shareName, change: .proof(proof.bytes))
        do throws(CloudTransportError) {
            _ = try await connection.send(.updateShareKeys(update), in: scope, options)
        } catch .refused(let error, _) where error.extensionCode == .tooManyParticipants {
            // There is no room for further proofs; the link opens the keys until they are replaced.
        } catch {
            throw failure(error, isMutating: false)
        }
    }

    /// The keys of somebody else's share.
    /// - Returns: nil if the user never came with the link's secret, or there are no keys.
    func joinedKeys(
        _ known: ShareKeys, in zoneID: CKRecordZone.ID, _ names: IdentityNames
    ) async throws -> (keys: ZoneKeys, isLatest: Bool)? {
        let place = try sharePlace(known.shareName, in: zoneID, names)
        guard let found = try await connection.keyring.joinedKeys(known, place, try keyRecords(of: names)) else {
            return nil
        }
        if let proof = found.proof { try await prove(proof, known.shareName, in: zoneID, names) }
        await connection.keyring.note(found.keys, of: Keyring.Zone(place: place.owner, name: place.zoneName))
        return (found.keys, found.isLatest)
    }
}

extension OwnedShare {
    /// What the share's links need.
    var secrets: ShareSecrets {
        ShareSecrets(
            link: link,
            oneTime: Dictionary(invitations.map { ($0.shortGUID, $0.secret) }) { first, _ in first })
    }
}
