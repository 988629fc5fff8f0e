import Foundation
import StratusCloudCrypto
import StratusCloudModel

/// The keys of a container as this process knows them: what the device's store and the server's records come to.
///
/// Pure bookkeeping beside what is asked of store and server. Two devices, or two tasks, that make keys at the same time end
/// with those of the one whose record was first: the server makes a record only once.
actor Keyring {
    /// What there is of an account's keys.
    enum Account: Sendable {
        /// Nobody has made any yet.
        case none
        /// There are some, and they are not on this device.
        case locked(AccountEnvelope)
        case open(AccountKeys)
    }

    /// A zone, and whose it is.
    struct Zone: Hashable {
        var place: AccountPlace
        var name: String
    }

    private struct Known {
        var keys: ZoneKeys
        /// Whether the latest may encrypt.
        var isCurrent: Bool
        var checked: ContinuousClock.Instant
    }

    let store: any DeviceKeyStore
    let random: RandomSource
    private let freshness: Duration
    private var zones: [Zone: Known] = [:]
    /// What is known of how zones are shared.
    var sharing: [Zone: ZoneSharing] = [:]
    /// Keys of others' shares, by the zone.
    var foreign: [Zone: [KeyID: ZoneKey]] = [:]
    /// Keys of shares that are about to be made.
    var prepared: [SharePlace: ZoneKey] = [:]

    /// - Parameter freshness: after this time the server is asked again which key encrypts.
    init(store: any DeviceKeyStore, random: RandomSource = .system, freshness: Duration = CloudLimits.keyFreshness) {
        self.store = store
        self.random = random
        self.freshness = freshness
    }

    // MARK: The account

    func account(_ records: KeyRecords) async throws -> Account {
        try await account(try await records.read([KeyRecords.Name.account])[KeyRecords.Name.account], records.place)
    }

    func account(_ stored: KeyRecords.Stored?, _ place: AccountPlace) async throws -> Account {
        guard let stored else { return .none }
        let envelope = try AccountEnvelope(record: stored.bytes)
        guard let key = try await localKey(envelope.keyID, place) else { return .locked(envelope) }
        return .open(try AccountKeys(key, envelope, place))
    }

    private func localKey(_ id: KeyID, _ place: AccountPlace) async throws -> AccountKey? {
        guard let secret = try await store.secret(named: Self.name(of: id, place)), secret.count == AccountKey.length
        else { return nil }
        let key = AccountKey(secret)
        return key.id == id ? key : nil
    }

    /// What the store knows an account's key under.
    static func name(of id: KeyID, _ place: AccountPlace) -> String { "\(place.container)/\(place.user)/\(id)" }

    /// Keeps a key that was brought here.
    func keep(_ key: AccountKey, _ place: AccountPlace) async throws {
        try await store.setSecret(key.secret, named: Self.name(of: key.id, place))
    }

    /// The account's keys, made if there are none.
    /// - Throws: `accountTemporarilyUnavailable` if they are on other devices only.
    func openAccount(_ records: KeyRecords) async throws -> AccountKeys {
        switch try await account(records) {
        case .open(let keys): return keys
        case .locked: throw NSError.keysAreElsewhere
        case .none: return try await makeAccount(records)
        }
    }

    private func makeAccount(_ records: KeyRecords) async throws -> AccountKeys {
        let key = AccountKey(random.bytes(AccountKey.length))
        // Kept before anybody can see it: what is encrypted with a key that is nowhere is lost.
        try await keep(key, records.place)
        let envelope = AccountEnvelope(keyID: key.id)
        if try await records.write(envelope.bytes, KeyRecords.Name.account, over: nil) {
            return AccountKeys(key, envelope: envelope)
        }
        // Somebody else was first, and theirs are the keys. If it was a program on this device, the store has them.
        try await store.removeSecret(named: Self.name(of: key.id, records.place))
        guard case .open(let keys) = try await account(records) else { throw NSError.keysAreElsewhere }
        return keys
    }

    // MARK: Zones

    /// The keys of a zone in which values are to be written, made if there are none.
    /// - Throws: `accountTemporarilyUnavailable` if they are on other devices only.
    func keysForWriting(in zoneName: String, _ records: KeyRecords) async throws -> ZoneKeys {
        let zone = Zone(place: records.place, name: zoneName)
        if let known = zones[zone], known.isCurrent, known.checked.duration(to: .now) < freshness { return known.keys }
        let name = KeyRecords.Name.zone(zoneName)
        var stored = try await records.read([KeyRecords.Name.account, name])
        let account = try await accountForWriting(stored[KeyRecords.Name.account], records)
        for _ in 0..<CloudLimits.keyAttempts {
            let found = try account.zoneKeys(stored[name]?.bytes, of: zoneName, records.place)
            if found.isCurrent, let keys = ZoneKeys(found.keys)?.opening(zones[zone]?.keys.every ?? []) {
                zones[zone] = Known(keys: keys, isCurrent: true, checked: .now)
                return keys
            }
            // There are none, or only such as were made under an account key that another has taken the place of: whoever
            // has that one, with the device that was lost, must not read what is written now.
            guard found.wrapped.count < ZoneEnvelope.keyLimit else { throw NSError.tooManyKeys(of: zoneName) }
            let key = ZoneKey(random.bytes(ZoneKey.length))
            let envelope = ZoneEnvelope(
                keys: found.wrapped + [account.current.wrap(key, of: zoneName, records.place, random: random)])
            if try await records.write(envelope.bytes, name, over: stored[name]?.changeTag),
                let keys = ZoneKeys(found.keys + [key])
            {
                zones[zone] = Known(keys: keys, isCurrent: true, checked: .now)
                return keys
            }
            stored = try await records.read([name])
        }
        throw NSError.cloudKit(.zoneBusy, "Other devices change the keys all the time.")
    }

    private func accountForWriting(_ stored: KeyRecords.Stored?, _ records: KeyRecords) async throws -> AccountKeys {
        switch try await account(stored, records.place) {
        case .open(let keys): return keys
        case .locked: throw NSError.keysAreElsewhere
        case .none: return try await makeAccount(records)
        }
    }

    /// The keys of a zone whose values are to be read; nil if there are none.
    /// - Parameter ids: those that are needed; the server is asked if one of them is not known.
    /// - Throws: `accountTemporarilyUnavailable` if they are on other devices only.
    func keysForReading(
        in zoneName: String, _ ids: Set<KeyID>, _ records: KeyRecords
    ) async throws -> ZoneKeys? {
        let zone = Zone(place: records.place, name: zoneName)
        if let known = zones[zone], ids.allSatisfy({ known.keys[$0] != nil }) { return known.keys }
        let name = KeyRecords.Name.zone(zoneName)
        let shareName = KeyRecords.Name.zone(zoneName, for: .share)
        let stored = try await records.read([KeyRecords.Name.account, name, shareName])
        switch try await account(stored[KeyRecords.Name.account], records.place) {
        case .none: return nil
        case .locked: throw NSError.keysAreElsewhere
        case .open(let account):
            let found = try account.zoneKeys(stored[name]?.bytes, of: zoneName, records.place)
            let shared = try account.zoneKeys(stored[shareName]?.bytes, of: zoneName, for: .share, records.place).keys
            guard let keys = (ZoneKeys(found.keys) ?? ZoneKeys(shared))?.opening(shared) else { return nil }
            zones[zone] = Known(keys: keys, isCurrent: found.isCurrent, checked: .now)
            return keys
        }
    }

    /// Asks store and server again from now on.
    func forget() {
        zones = [:]
        sharing = [:]
        foreign = [:]
    }
}
