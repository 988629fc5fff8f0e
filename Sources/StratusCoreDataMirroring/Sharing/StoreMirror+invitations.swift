import StratusCloudKit

// Invitations of others.
extension StoreMirror {
    /// Accepts invitations, and fetches what they are to.
    /// - Returns: The accepted invitations.
    /// - Throws: The first error of a share that could not be accepted; the others have been.
    func accept(_ metadata: [CKShare.Metadata]) async throws -> [CKShare.Metadata] {
        let shares = MirroringDebug.counted(metadata.count, "share")
        return try await MirroringDebug.noting("accept \(shares)", of: store) {
            let results = try await plan.container.accept(metadata)
            var accepted: [CKShare.Metadata] = []
            for invitation in metadata {
                guard let result = results[invitation] else { continue }
                let error: (any Error)? = if case .failure(let error) = result { error } else { nil }
                MirroringDebug.note(accepting: invitation.share.recordID.zoneID, error, in: store)
                if error == nil { accepted.append(invitation) }
            }
            if !accepted.isEmpty { await synchronizeNow() }
            for result in results.values { _ = try result.get() }
            return accepted
        }
    }
}
