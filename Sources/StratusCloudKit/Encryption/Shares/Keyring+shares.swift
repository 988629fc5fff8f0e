import Foundation
import StratusCloudCrypto
import StratusCloudModel

/// What a device knows of how a zone is shared. It need not be true any more: the server refuses what was encrypted by it then.
enum ZoneSharing: Sendable {
    case unshared
    /// As a whole: one share's keys for all records.
    case whole(ShareKeys, ZoneKey)
    /// Records, each with its hierarchy; which, is asked each time.
    case hierarchies
}

/// What a share's link needs, which only the owner's devices know.
struct ShareSecrets: Hashable, Sendable {
    var link: LinkSecret
    /// Of participants' own links, by what these are made of.
    var oneTime: [String: LinkSecret] = [:]
}

// The keys of shares, of their owner and of those who take part.
extension Keyring {
    func sharing(of zone: Zone) -> ZoneSharing? { sharing[zone] }

    func note(_ state: ZoneSharing, of zone: Zone) { sharing[zone] = state }

    /// Asks again how a zone is shared.
    func forgetSharing(of zone: Zone) { sharing[zone] = nil }

    // MARK: The owner

    /// The key for a share that is to be made, kept before anything is encrypted with it.
    func prepareShare(_ place: SharePlace, _ records: KeyRecords) async throws -> ZoneKey {
        if let key = prepared[place] { return key }
        let account = try await openAccount(records)
        let key = ZoneKey(random.bytes(ZoneKey.length))
        try await keepShareKey(key, of: place.zoneName, account.current, records)
        prepared[place] = key
        return key
    }

    /// Keeps a share's key where the owner's devices find it, also when the share is gone.
    private func keepShareKey(
        _ key: ZoneKey, of zoneName: String, _ account: AccountKey, _ records: KeyRecords
    ) async throws {
        let (random, place) = (random, records.place)
        try await records.update(KeyRecords.Name.zone(zoneName, for: .share)) { bytes in
            var list = try bytes.map { try ZoneEnvelope(record: $0, of: zoneName) } ?? ZoneEnvelope(keys: [])
            guard list.keys.count < ZoneEnvelope.shareKeyLimit else {
                throw NSError.cloudKit(
                    .limitExceeded,
                    "The shares of the zone '\(zoneName)' have had \(ZoneEnvelope.shareKeyLimit) keys, which is the "
                        + "maximum.")
            }
            list.keys.append(account.wrap(key, of: zoneName, for: .share, place, random: random))
            return list.bytes
        }
    }

    /// Brings a share's keys in line with who takes part.
    /// - Parameters:
    ///   - known: what is kept with the share.
    ///   - save: writes what is to be kept; false if another device wrote meanwhile.
    ///   - ask: asks again what is kept.
    /// - Returns: the keys, and what is kept with the share now.
    /// - Throws: `accountTemporarilyUnavailable` if the account's keys are on other devices only.
    func settle(
        _ known: ShareKeys, _ place: SharePlace, _ records: KeyRecords,
        save: @Sendable (ShareKeysUpdate.Change) async throws -> ShareKeys?,
        ask: @Sendable () async throws -> ShareKeys?
    ) async throws -> (share: OwnedShare, known: ShareKeys)? {
        let account = try await openAccount(records)
        var known = known
        for _ in 0..<CloudLimits.keyAttempts {
            var (share, isNew, isOverdue) = try await owned(known, place, account)
            if !isNew { try await checkFloor(of: place, share.header, records.place) }
            let former = isNew ? prepared[place] : share.key
            let isChanged = share.settle(with: known, isOverdue: isOverdue, random: random)
            let handovers = share.handovers(known, former: account.previous, random: random)
            guard isNew || isChanged || !handovers.isEmpty else { return (share, known) }
            guard share.earlier.count < ShareEnvelope.keyLimit else {
                throw NSError.cloudKit(
                    .limitExceeded,
                    "The share '\(place.shareName)' has had \(ShareEnvelope.keyLimit) keys, which is the maximum.")
            }
            if share.key != former {
                try await keepShareKey(share.key, of: place.zoneName, account.current, records)
            }
            let change = ShareKeysUpdate.Change.keys(
                envelope: share.envelope(random: random).bytes, over: known.keyTag, handovers: handovers)
            if let now = try await save(change) {
                try await raiseFloor(of: place, share.header, records.place)
                prepared[place] = nil
                sharing[Zone(place: place.owner, name: place.zoneName)] =
                    place.shareName == CKRecordNameZoneWideShare ? nil : .hierarchies
                return (share, now)
            }
            guard let now = try await ask() else { return nil }
            known = now
        }
        throw NSError.cloudKit(.zoneBusy, "Other devices change the keys all the time.")
    }

    /// What is kept with a share, as the owner's devices read it.
    /// - Returns: whether there was nothing to read, and whether what was is to be replaced: it was made under an account key that
    ///   another has taken the place of.
    private func owned(
        _ known: ShareKeys, _ place: SharePlace, _ account: AccountKeys
    ) async throws -> (OwnedShare, isNew: Bool, isOverdue: Bool) {
        func fresh() -> (OwnedShare, isNew: Bool, isOverdue: Bool) {
            (OwnedShare(place, account.current, key: prepared[place], random: random), true, false)
        }
        guard let bytes = known.envelope else { return fresh() }
        do throws(FrameReader.Malformed) {
            let envelope = try ShareEnvelope(bytes)
            // Of an account that was given up, nothing is to be had.
            guard let key = account[envelope.accountID] else { return fresh() }
            let share = try OwnedShare(envelope, place, key)
            guard key.id == account.current.id else {
                return (share.moved(to: account.current, random: random), false, true)
            }
            return (share, false, false)
        } catch {
            throw NSError.malformedShareKeys(place.shareName)
        }
    }

    // MARK: Those who take part

    /// Notes the link by which the user came into a share, and the key that it gives.
    /// - Returns: what is to be written for the owner; nil if the link's secret opens nothing, because it is an old one.
    func join(
        _ link: ReceivedLink, _ known: ShareKeys, _ place: SharePlace, _ records: KeyRecords
    ) async throws -> ShareProof? {
        guard let found = JoinedShare(link, place, known) else { return nil }
        let account = try await openAccount(records)
        try await checkFloor(of: place, found.header, records.place)
        let random = random
        try await records.update(KeyRecords.Name.joined(place)) { bytes in
            let former = try bytes.flatMap { try Self.joined($0, place, records.place, account) }
            if let former, former.header.lineage == found.header.lineage {
                // A link never takes a share back, nor into other hands.
                guard former.isContinued(by: found.header) else { throw NSError.foreignShareKeys(place.shareName) }
            }
            return found.sealed(account.current, records.place, random: random)
        }
        try await raiseFloor(of: place, found.header, records.place)
        forgetSharing(of: Zone(place: place.owner, name: place.zoneName))
        return ShareProof(
            SharingIdentity(account.current, records.place).publicKey, of: records.place.user,
            knowing: found.header.owner, link, place)
    }

    /// A share's keys for somebody who takes part.
    /// - Returns: all keys that there are, and what is to be written for the owner; nil if the user never came with the link's
    ///   secret.
    /// - Throws: `accountTemporarilyUnavailable` if the account's keys are on other devices only.
    func joinedKeys(
        _ known: ShareKeys, _ place: SharePlace, _ records: KeyRecords
    ) async throws -> (keys: ZoneKeys, isLatest: Bool, proof: ShareProof?)? {
        let name = KeyRecords.Name.joined(place)
        let stored = try await records.read([KeyRecords.Name.account, name])
        guard let bytes = stored[name]?.bytes else { return nil }
        guard case .open(let account) = try await self.account(stored[KeyRecords.Name.account], records.place) else {
            throw NSError.keysAreElsewhere
        }
        guard var share = try Self.joined(bytes, place, records.place, account) else { return nil }
        let identities = (account.previous + [account.current]).map { SharingIdentity($0, records.place) }
        if let next = share.following(known, records.place.user, identities), next.header != share.header {
            share = next
            let random = random
            try await records.update(name) { bytes in
                let stored = try bytes.flatMap { try Self.joined($0, place, records.place, account) }
                // Another device may have come further.
                guard stored?.isFollowed(by: next.header) ?? true else { return nil }
                return next.sealed(account.current, records.place, random: random)
            }
        }
        try await checkFloor(of: place, share.header, records.place)
        try await raiseFloor(of: place, share.header, records.place)
        var earlier: [ZoneKey] = []
        var isLatest = false
        if let envelope = known.envelope.flatMap({ try? ShareEnvelope($0) }), envelope.header == share.header {
            do throws(FrameReader.Malformed) {
                earlier = try envelope.earlierKeys(share.key, place)
            } catch {
                throw NSError.malformedShareKeys(place.shareName)
            }
            isLatest = true
        }
        let own = SharingIdentity(account.current, records.place).publicKey
        let proven = known.members.first?.proof.flatMap { try? ShareProof($0) }
        let isProven = proven?.publicKey == own && proven?.owner == share.header.owner
        let proof =
            isProven
            ? nil : ShareProof(own, of: records.place.user, knowing: share.header.owner, share.link, place)
        return (ZoneKeys(latest: share.key, earlier: earlier), isLatest, proof)
    }

    private static func joined(
        _ bytes: [UInt8], _ place: SharePlace, _ user: AccountPlace, _ account: AccountKeys
    ) throws -> JoinedShare? {
        do throws(FrameReader.Malformed) {
            return try JoinedShare(bytes, place, user) { account[$0] }
        } catch {
            throw NSError.malformedKeys(KeyRecords.Name.joined(place))
        }
    }

    func foreignKeys(of zone: Zone) -> [KeyID: ZoneKey] { foreign[zone] ?? [:] }

    func note(_ keys: ZoneKeys, of zone: Zone) {
        for key in keys.every { foreign[zone, default: [:]][key.id] = key }
    }

    // MARK: How far a share has come

    // The device itself remembers it, so that a server that gives back what was before a removal is not believed.

    private func floorName(_ place: SharePlace, _ user: AccountPlace) -> String {
        let digest = SHA256.hash(place.frames("stratus.share-floor.v1").bytes)
        return "\(user.container)/\(user.user)/share-\(Hex.encode(digest))"
    }

    private func floor(of place: SharePlace, _ user: AccountPlace) async throws -> (
        lineage: [UInt8], generation: UInt64
    )? {
        guard let bytes = try await store.secret(named: floorName(place, user)) else { return nil }
        var reader = FrameReader(bytes)
        guard let lineage = try? reader.frame(count: ShareHeader.lineageLength),
            let generation = try? reader.framedNumber()
        else { throw DeviceKeyStoreError("What this device noted of the share '\(place.shareName)' is damaged.") }
        return (lineage, generation)
    }

    /// - Throws: `accountTemporarilyUnavailable` for a state of the share's keys that this device has seen replaced.
    func checkFloor(of place: SharePlace, _ header: ShareHeader, _ user: AccountPlace) async throws {
        guard let floor = try await floor(of: place, user), floor.lineage == header.lineage else { return }
        guard header.generation >= floor.generation else { throw NSError.outdatedShareKeys(place.shareName) }
    }

    private func raiseFloor(of place: SharePlace, _ header: ShareHeader, _ user: AccountPlace) async throws {
        if let floor = try await floor(of: place, user), floor.lineage == header.lineage,
            floor.generation >= header.generation
        {
            return
        }
        var frames = Frames.empty
        frames.add(header.lineage)
        frames.add(number: header.generation)
        try await store.setSecret(frames.bytes, named: floorName(place, user))
    }
}

extension NSError {
    static func malformedShareKeys(_ shareName: String) -> NSError {
        .cloudKit(
            .internalError, "What is kept with the share '\(shareName)' are not its keys as this version writes them.")
    }

    static func foreignShareKeys(_ shareName: String) -> NSError {
        .cloudKit(.internalError, "The keys of the share '\(shareName)' are not those of its owner.")
    }

    static func outdatedShareKeys(_ shareName: String) -> NSError {
        .cloudKit(
            .accountTemporarilyUnavailable,
            "The server gives keys of the share '\(shareName)' that have been replaced.")
    }

    /// Somebody takes part who does not have the keys.
    static func shareKeysAreMissing(_ shareName: String) -> NSError {
        .cloudKit(
            .accountTemporarilyUnavailable,
            "The keys of the share '\(shareName)' are not here. Open the link to it, as the owner's device gave it, with "
                + "what stands behind its '#'; an older link has them no more.")
    }

    /// Nobody may write before the owner's device has replaced the keys.
    static func shareKeysAreRevoked(_ shareName: String) -> NSError {
        .cloudKit(
            .accountTemporarilyUnavailable,
            "Somebody was removed from the share '\(shareName)'. Encrypted values can be saved again when a device of its "
                + "owner has replaced the keys.")
    }
}
