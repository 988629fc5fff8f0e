import Foundation

/// An account's key, and those that it took the place of.
struct AccountKeys: Sendable {
    let current: AccountKey
    let envelope: AccountEnvelope
    private let all: [KeyID: AccountKey]

    init(_ current: AccountKey, envelope: AccountEnvelope, previous: [AccountKey] = []) {
        self.current = current
        self.envelope = envelope
        all = Dictionary(([current] + previous).map { ($0.id, $0) }) { first, _ in first }
    }

    /// Opens the earlier keys with the current one.
    init(_ current: AccountKey, _ envelope: AccountEnvelope, _ place: AccountPlace) throws {
        let previous = try envelope.previous.map { earlier in
            guard let key = current.unwrap(earlier, place) else {
                throw NSError.malformedKeys(KeyRecords.Name.account)
            }
            return key
        }
        self.init(current, envelope: envelope, previous: previous)
    }

    subscript(id: KeyID) -> AccountKey? { all[id] }

    /// The keys that took turns before the current one.
    var previous: [AccountKey] { envelope.previous.compactMap { all[$0.keyID] } }

    /// What there is of a zone's keys.
    struct ZoneState: Sendable {
        /// Those of this account, as the server has them, and open; the oldest first.
        var wrapped: [WrappedZoneKey] = []
        var keys: [ZoneKey] = []
        /// Whether the latest was made under the account's current key.
        var isCurrent = false
    }

    /// A zone's keys. Those of another account, which was given up, are left out.
    /// - Throws: `internalError` if one of them was changed.
    func zoneKeys(
        _ bytes: [UInt8]?, of zoneName: String, for use: ZoneKeyUse = .zone, _ place: AccountPlace
    ) throws -> ZoneState {
        guard let bytes else { return ZoneState() }
        var state = ZoneState()
        for wrapped in try ZoneEnvelope(record: bytes, of: zoneName).keys {
            guard let account = all[wrapped.accountKeyID] else { continue }
            guard let key = account.unwrap(wrapped, of: zoneName, for: use, place) else {
                throw NSError.malformedKeys(KeyRecords.Name.zone(zoneName, for: use))
            }
            state.wrapped.append(wrapped)
            state.keys.append(key)
        }
        state.isCurrent = state.wrapped.last?.accountKeyID == current.id
        return state
    }
}

extension AccountEnvelope {
    init(record bytes: [UInt8]) throws {
        do throws(FrameReader.Malformed) {
            try self.init(bytes)
        } catch {
            throw NSError.malformedKeys(KeyRecords.Name.account)
        }
    }
}

extension ZoneEnvelope {
    init(record bytes: [UInt8], of zoneName: String) throws {
        do throws(FrameReader.Malformed) {
            try self.init(bytes)
        } catch {
            throw NSError.malformedKeys(KeyRecords.Name.zone(zoneName))
        }
    }
}
