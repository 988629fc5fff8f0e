import StratusCloudKit
import StratusCoreData

// The lines about sharing.
extension MirroringDebug {
    /// Returns the result of work on shares, and writes its beginning and its end.
    /// - Parameter what: The work in words, which begin with a verb.
    static func noting<Value>(
        _ what: String, of store: NSPersistentStore, end: (Value) -> String = { _ in "" },
        _ work: () async throws -> Value
    ) async throws -> Value {
        write(.events, store, "begins to \(what)")
        do {
            let value = try await work()
            write(.events, store, "has ended to \(what)\(end(value))")
            return value
        } catch {
            write(.events, store, "failed to \(what): \(text(error))")
            throw error
        }
    }

    /// Writes which objects move to the zone of a share.
    static func note(moving keys: [StoredObjectKey], to zoneID: CKRecordZone.ID, in store: NSPersistentStore) {
        write(
            .batches, store,
            "moves to zone \(shown(zoneID)): "
                + listed(keys.sorted().map { "\($0.entity)/\($0.primaryKey)" }))
    }

    /// Writes the result of an invitation.
    static func note(accepting zoneID: CKRecordZone.ID, _ error: (any Error)?, in store: NSPersistentStore) {
        write(
            .batches, store,
            error.map { "the share of zone \(shown(zoneID)) was not accepted: \(text($0))" }
                ?? "accepted the share of zone \(shown(zoneID))")
    }
}
