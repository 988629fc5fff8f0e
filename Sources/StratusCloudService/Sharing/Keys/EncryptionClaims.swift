import StratusCloudModel
import StratusCloudStore

/// Holds devices to the keys of what their records belong to, in the transaction that saves them: so that nothing is encrypted
/// with the keys of somebody who was removed before, however late a device hears of it.
struct EncryptionClaims {
    let claims: [EncryptionClaim]

    /// - Parameters:
    ///   - saved: names of the records that the transaction saves.
    ///   - header: as the transaction leaves it.
    ///   - ledger: nil in a zone of which nothing is shared.
    /// - Throws: `conflict` with ``CloudError/ExtensionCode/encryptionKeysChanged`` or
    ///   ``CloudError/ExtensionCode/encryptionKeysRevoked``; then nothing may be written.
    func check(
        _ saved: Set<String>, _ header: ZoneHeader, _ ledger: ShareLedger?, in transaction: any ReadTransaction
    ) throws {
        for claim in claims {
            for name in claim.recordNames where saved.contains(name) {
                let number = try header.sharing.whole ?? ledger?.liveMember(name)?.share
                try check(claim, name, number, zone: header.number, in: transaction)
            }
        }
    }

    private func check(
        _ claim: EncryptionClaim, _ name: String, _ number: ShareNumber?, zone: ZoneNumber,
        in transaction: any ReadTransaction
    ) throws {
        guard let number else {
            guard claim.shareName == nil else { throw Self.changed(name) }
            return
        }
        let share: StoredShare? = try transaction.value(at: Keyspace.share(zone: zone, number))
        let keys = try StoredShareKeys.read(number, zone: zone, in: transaction)
        guard claim.shareName == share?.recordName, claim.keyTag == keys.tag(of: number, zone: zone) else {
            throw Self.changed(name)
        }
        guard keys.state != .revoked else {
            throw CloudError(
                .conflict,
                "record '\(name)' belongs to a share that a participant was removed from; its owner must "
                    + "replace the keys first",
                extensionCode: .encryptionKeysRevoked)
        }
    }

    private static func changed(_ name: String) -> CloudError {
        CloudError(
            .conflict, "record '\(name)' was encrypted with other keys than those of what it belongs to",
            extensionCode: .encryptionKeysChanged)
    }
}
