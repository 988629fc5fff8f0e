import Foundation
import StratusCloudModel

/// A record whose values are to be encrypted, as far as it matters for which key.
struct SealingSubject: Sendable {
    var recordName: String
    /// The record above it, as it is to be.
    var parent: String?
    /// Whether it is the root of a share, and which.
    var share: String?
}

// Which key encrypts what is saved.
extension DatabaseClient {
    /// What the keyring knows a zone under.
    func keyZone(_ zoneID: CKRecordZone.ID, _ names: IdentityNames) throws -> Keyring.Zone {
        Keyring.Zone(place: try accountPlace(of: zoneID, names), name: zoneID.zoneName)
    }

    /// Saves records with values that are encrypted.
    /// - Throws: ``KeyRefusal`` if they were encrypted with other keys than those of what they belong to.
    func modify(_ request: ModifyRecordsRequest) async throws -> [RecordResult] {
        do throws(CloudTransportError) {
            return try await connection.send(.modifyRecords(request), in: scope, options).records()
        } catch .refused(let error, _)
            where error.extensionCode == .encryptionKeysChanged || error.extensionCode == .encryptionKeysRevoked
        {
            throw KeyRefusal()
        } catch {
            throw failure(error, isMutating: true).concerning(.modifyRecords(request))
        }
    }

    /// Does something again with other keys as long as the server wants others.
    func sendingSealed<Answer>(
        in zoneID: CKRecordZone.ID, _ names: IdentityNames, _ body: () async throws -> Answer
    ) async throws -> Answer {
        for _ in 0..<CloudLimits.keyAttempts {
            do {
                return try await body()
            } catch is KeyRefusal {
                await connection.keyring.note(.hierarchies, of: try keyZone(zoneID, names))
            }
        }
        throw NSError.cloudKit(.zoneBusy, "The keys of what is shared change all the time.")
    }

    /// What encrypts the values of some records of one zone.
    /// - Parameters:
    ///   - others: records that are saved with them, and need no key.
    ///   - prepared: keys of shares that are made together with the records.
    /// - Throws: `accountTemporarilyUnavailable` if the keys are on other devices only, or in nobody's hands yet.
    func sealer(
        for subjects: [SealingSubject], beside others: [SealingSubject] = [], in zoneID: CKRecordZone.ID,
        prepared: [CKRecord.ID: ZoneKey] = [:], _ names: IdentityNames
    ) async throws -> RecordSealer {
        do {
            return try await sealerOrStoreError(subjects, subjects + others, zoneID, prepared, names)
        } catch let error as DeviceKeyStoreError {
            throw NSError.cloudKit(error)
        }
    }

    private func sealerOrStoreError(
        _ subjects: [SealingSubject], _ batch: [SealingSubject], _ zoneID: CKRecordZone.ID,
        _ prepared: [CKRecord.ID: ZoneKey], _ names: IdentityNames
    ) async throws -> RecordSealer {
        let place = try accountPlace(of: zoneID, names)
        var sealer = RecordSealer(place: place, random: connection.keyring.random)
        let sharing = zoneID.isDefault ? [:] : try await sharing(of: subjects, batch, in: zoneID, names)
        var keys: [String: (key: ZoneKey, tag: String)] = [:]
        var groups: [String?: [String]] = [:]
        for subject in subjects {
            let name = subject.recordName
            if let key = preparedKey(for: subject, batch, zoneID, prepared) {
                sealer.keys[name] = key
                try await noteEncryption(in: zoneID, names)
            } else if let share = sharing[name] {
                if keys[share.known.shareName] == nil {
                    keys[share.known.shareName] = try await key(of: share, in: zoneID, names)
                }
                sealer.keys[name] = keys[share.known.shareName]?.key
                groups[share.known.shareName, default: []].append(name)
            } else {
                guard scope == .private else {
                    throw NSError.cloudKit(
                        .permissionFailure, "The record '\(name)' belongs to nothing that is shared with the user.")
                }
                sealer.keys[name] = try await connection.keyring.keysForWriting(
                    in: zoneID.zoneName, try keyRecords(of: names)
                ).current
                groups[nil, default: []].append(name)
            }
        }
        guard !zoneID.isDefault else { return sealer }
        sealer.claims = groups.map { shareName, recordNames in
            EncryptionClaim(
                recordNames: recordNames, shareName: shareName, keyTag: shareName.flatMap { keys[$0]?.tag })
        }
        return sealer
    }

    /// A share, and its key where that is known already.
    private struct Belonging {
        var known: ShareKeys
        var key: ZoneKey?
    }

    /// The shares that records belong to, or will.
    private func sharing(
        of subjects: [SealingSubject], _ batch: [SealingSubject], in zoneID: CKRecordZone.ID, _ names: IdentityNames
    ) async throws -> [String: Belonging] {
        let zone = try keyZone(zoneID, names)
        switch await connection.keyring.sharing(of: zone) {
        case .unshared?: return [:]
        case .whole(let known, let key)?:
            return Dictionary(
                subjects.map { ($0.recordName, Belonging(known: known, key: key)) }
            ) { first, _ in first }
        case .hierarchies?, nil: break
        }
        let asked = Set(batch.flatMap { [$0.recordName] + ($0.parent.map { [$0] } ?? []) })
        let answer: SharesAnswer
        do {
            answer = try await shares(of: asked.sorted(), in: zoneID, names)
        } catch let error as NSError where scope == .private && error.cloudKitCode == .zoneNotFound {
            // The save says so.
            return [:]
        }
        guard !answer.shares.isEmpty else {
            // A zone of which only hierarchies are shared says so when the save is refused.
            if scope == .private, await connection.keyring.sharing(of: zone) == nil {
                await connection.keyring.note(.unshared, of: zone)
            }
            return [:]
        }
        let known = Dictionary(answer.shares.map { ($0.shareName, $0) }) { first, _ in first }
        var found: [String: Belonging] = [:]
        for subject in subjects {
            guard let share = Self.share(of: subject, batch, answer).flatMap({ known[$0] }) else { continue }
            found[subject.recordName] = Belonging(known: share)
        }
        return found
    }

    private static func share(
        of subject: SealingSubject, _ subjects: [SealingSubject], _ answer: SharesAnswer
    ) -> String? {
        if let whole = answer.shareNames[subject.recordName], whole == CKRecordNameZoneWideShare { return whole }
        if let own = subject.share, answer.shareNames[subject.recordName] == own { return own }
        var top = subject
        for _ in 0...subjects.count {
            guard let parent = top.parent else { return nil }
            guard let above = subjects.first(where: { $0.recordName == parent }) else {
                return answer.shareNames[parent]
            }
            if let own = above.share, answer.shareNames[parent] == own { return own }
            top = above
        }
        return nil
    }

    /// The key of a share that is made by the same save.
    private func preparedKey(
        for subject: SealingSubject, _ subjects: [SealingSubject], _ zoneID: CKRecordZone.ID,
        _ prepared: [CKRecord.ID: ZoneKey]
    ) -> ZoneKey? {
        guard !prepared.isEmpty else { return nil }
        if let whole = prepared[CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: zoneID)] { return whole }
        var top = subject
        for _ in 0...subjects.count {
            if let share = top.share { return prepared[CKRecord.ID(recordName: share, zoneID: zoneID)] }
            guard let parent = top.parent, let above = subjects.first(where: { $0.recordName == parent }) else {
                return nil
            }
            top = above
        }
        return nil
    }

    /// Makes the zone's own key where there is none: it says that the zone has encrypted values, when all keys are given up.
    private func noteEncryption(in zoneID: CKRecordZone.ID, _ names: IdentityNames) async throws {
        _ = try await connection.keyring.keysForWriting(in: zoneID.zoneName, try keyRecords(of: names))
    }

    /// - Throws: `accountTemporarilyUnavailable` if the user does not have it, or nobody may use it.
    private func key(
        of share: Belonging, in zoneID: CKRecordZone.ID, _ names: IdentityNames
    ) async throws -> (key: ZoneKey, tag: String) {
        let (known, shareName) = (share.known, share.known.shareName)
        if let key = share.key { return (key, known.keyTag) }
        let found: (key: ZoneKey, known: ShareKeys)
        if scope == .private {
            try await noteEncryption(in: zoneID, names)
            guard let settled = try await settle(known, in: zoneID, names) else {
                throw NSError.cloudKit(.zoneBusy, "The share '\(shareName)' was stopped meanwhile.")
            }
            found = (settled.share.key, settled.known)
        } else {
            guard let joined = try await joinedKeys(known, in: zoneID, names), joined.isLatest else {
                throw NSError.shareKeysAreMissing(shareName)
            }
            guard known.state != .revoked else { throw NSError.shareKeysAreRevoked(shareName) }
            found = (joined.keys.current, known)
        }
        if shareName == CKRecordNameZoneWideShare {
            await connection.keyring.note(.whole(found.known, found.key), of: try keyZone(zoneID, names))
        }
        return (found.key, found.known.keyTag)
    }
}

/// The server refused what was encrypted: with other keys than those of what the records belong to, or with such as are to be
/// replaced first.
struct KeyRefusal: Error {}

extension Record {
    /// As what it is encrypted.
    var sealingSubject: SealingSubject {
        SealingSubject(recordName: recordName, parent: parent?.recordName, share: share?.recordName)
    }
}
