import Foundation
import StratusCloudCrypto

// How keys are replaced.
extension Keyring {
    /// Gives a zone a new key, which encrypts what is written from now on; what was written can still be read.
    func rotate(_ zoneName: String, _ records: KeyRecords) async throws {
        // Makes the zone's first key if there is none.
        _ = try await keysForWriting(in: zoneName, records)
        let account = try await openAccount(records)
        let (random, place) = (random, records.place)
        try await records.update(KeyRecords.Name.zone(zoneName)) { bytes in
            var envelope = try bytes.map { try ZoneEnvelope(record: $0, of: zoneName) } ?? ZoneEnvelope(keys: [])
            guard envelope.keys.count < ZoneEnvelope.keyLimit else { throw NSError.tooManyKeys(of: zoneName) }
            let key = ZoneKey(random.bytes(ZoneKey.length))
            envelope.keys.append(account.current.wrap(key, of: zoneName, place, random: random))
            return envelope.bytes
        }
        forget()
    }

    /// Gives the account a new key. Other devices, and the recovery phrase, have the earlier one only, and get no further
    /// ones with it. This device forgets it, so that a server which gives back the earlier record is not believed.
    func replaceAccountKey(_ records: KeyRecords) async throws {
        let earlier = try await openAccount(records)
        // The present one counts as well.
        guard earlier.envelope.previous.count + 1 < AccountEnvelope.keyLimit else {
            throw NSError.cloudKit(
                .limitExceeded, "The account has had \(AccountEnvelope.keyLimit) keys, which is the maximum.")
        }
        let (random, place) = (random, records.place)
        let key = AccountKey(random.bytes(AccountKey.length))
        try await keep(key, place)
        try await records.update(KeyRecords.Name.account) { bytes in
            // Another device may have replaced it meanwhile.
            guard let bytes, try AccountEnvelope(record: bytes).keyID == earlier.current.id else {
                throw NSError.keysAreElsewhere
            }
            let previous = (earlier.previous + [earlier.current]).map { key.wrap($0, place, random: random) }
            return AccountEnvelope(keyID: key.id, previous: previous).bytes
        }
        for old in earlier.previous + [earlier.current] {
            try await store.removeSecret(named: Self.name(of: old.id, place))
        }
        forget()
    }

    /// Gives up all keys and makes new ones, for this device alone. What the earlier ones encrypted is lost.
    func replaceEverything(_ records: KeyRecords) async throws {
        let key = AccountKey(random.bytes(AccountKey.length))
        try await keep(key, records.place)
        var given: KeyID?
        try await records.update(KeyRecords.Name.account) { bytes in
            // Whatever stands there, readable or not, is given up.
            given = bytes.flatMap { try? AccountEnvelope($0).keyID }
            return AccountEnvelope(keyID: key.id).bytes
        }
        if let given { try await store.removeSecret(named: Self.name(of: given, records.place)) }
        forget()
    }
}
