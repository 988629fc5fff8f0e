import Foundation
import StratusCloudKit

/// Uploads of contents, which continue where they broke off.
extension DriveAgent {
    /// Returns the record of an upload, which lets it continue after a restart.
    func tracking(of id: String, _ checksum: String, at copy: String) throws -> AssetUploadTracking {
        let known = try state[id]?.upload
        let size = try FileManager.default.attributesOfItem(atPath: copy)[.size] as? NSNumber
        let isLarge = (size?.int64Value ?? 0) > DriveLimits.continued
        let cloud = cloud
        return AssetUploadTracking(
            checksum: checksum, address: known?.checksum == checksum ? known?.address : nil,
            begin: { [weak self] address in
                if isLarge { try await self?.note(DriveEntry.Upload(checksum: checksum, address: address), of: id) }
            }, progress: { cloud.note(sent: $0, of: id) })
    }

    private func note(_ upload: DriveEntry.Upload, of id: String) throws {
        guard try state[id] != nil else { return }
        try state.change(id) { $0.upload = upload }
    }

    /// Forgets an upload that cannot be used any more, because the server refused what came of it.
    func forgetUpload(_ id: String, after error: CKError) throws {
        switch error.code {
        case .networkFailure, .networkUnavailable, .serviceUnavailable, .requestRateLimited, .zoneBusy,
            .serverResponseLost, .operationCancelled, .notAuthenticated, .accountTemporarilyUnavailable:
            return
        default:
            if try state[id]?.upload != nil { try state.change(id) { $0.upload = nil } }
        }
    }

    /// Notes that the server has the content of a file already, so that it is not sent, such as after `touch`.
    /// - Returns: Whether nothing has to be sent.
    func adopt(_ snapshot: (copy: String, checksum: String, stamp: DriveStamp), of entry: DriveEntry) throws -> Bool {
        guard let remote = entry.remote, let local = entry.local else { return false }
        if snapshot.checksum == remote.checksum, local.shape == remote.shape {
            try state.change(entry.id) {
                $0.synced = DriveEntry.Synced(
                    shape: remote.shape, checksum: remote.checksum, version: remote.version, stamp: snapshot.stamp)
                $0.isWanted = false
            }
            return true
        }
        // The server has a newer content, which comes in the place of the one that was not changed.
        guard let synced = entry.synced, snapshot.checksum == synced.checksum, snapshot.checksum != remote.checksum,
            local.shape == synced.shape
        else { return false }
        try state.change(entry.id) { $0.synced?.stamp = snapshot.stamp }
        return true
    }
}
