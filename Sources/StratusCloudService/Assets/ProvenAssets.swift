import StratusCloudAssets
import StratusWorkers

/// Remembers which files were read and found undamaged a short while ago, so that an asset that many people fetch is
/// not hashed for each of them. A file that was written to since has another stamp and is hashed again.
final class ProvenAssets: Sendable {
    private struct Proof {
        let stamp: AssetStamp
        let time: Int64
    }

    private let proofs = Lock<[AssetFileID: Proof]>([:])

    /// Whether a file was proven in this state within ``AssetLimits/proofLifetime``.
    func contains(_ file: AssetFileID, _ stamp: AssetStamp?, now: Int64) -> Bool {
        guard let stamp else { return false }
        return proofs.withLock { proofs in
            proofs[file].map { $0.stamp == stamp && Self.isValid($0, now) } ?? false
        }
    }

    func add(_ file: AssetFileID, _ stamp: AssetStamp?, now: Int64) {
        guard let stamp else { return }
        proofs.withLock { proofs in
            if proofs.count >= AssetLimits.rememberedProofs { proofs = proofs.filter { Self.isValid($0.value, now) } }
            if proofs.count >= AssetLimits.rememberedProofs { proofs.removeAll() }
            proofs[file] = Proof(stamp: stamp, time: now)
        }
    }

    private static func isValid(_ proof: Proof, _ now: Int64) -> Bool {
        (0..<AssetLimits.proofLifetime).contains(now - proof.time)
    }
}
