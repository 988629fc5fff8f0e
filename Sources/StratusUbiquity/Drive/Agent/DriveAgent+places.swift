import Foundation
import StratusCloudModel

/// Places at which an item that comes here meets another one.
extension DriveAgent {
    /// Takes an item that was made here for the one that comes from the server, if they are the same: a folder of the
    /// same name, or a file or link of the same content, as when two devices have a folder from before.
    func unite(_ entry: DriveEntry, with place: DrivePlace) throws -> Bool {
        let state = try state
        guard let remote = entry.remote, let other = try state.local(at: place), other.id != entry.id,
            other.synced == nil, other.remote == nil, let local = other.local, local.shape.kind == remote.shape.kind,
            local.shape.target == remote.shape.target
        else { return false }
        var stamp: DriveStamp?
        if local.shape.kind == .package { return false }
        if local.shape.kind == .file {
            guard !local.isPlaceholder, local.stamp.size == remote.size else { return false }
            let snapshot = try folder.snapshot(try names(of: other))
            folder.discard(snapshot.copy)
            guard snapshot.checksum == remote.checksum else { return false }
            stamp = snapshot.stamp
        }
        try state.transaction {
            let inside =
                local.shape.kind == .folder
                ? try state.localItems(in: other.id) : []
            try state.change(other.id) { $0.local = nil }
            try state.change(entry.id) { entry in
                entry.local = local
                entry.synced = DriveEntry.Synced(
                    shape: remote.shape, checksum: remote.checksum, version: remote.version, stamp: stamp)
            }
            for item in inside { try state.change(item.id) { $0.local?.shape.place.folder = entry.id } }
        }
        return true
    }

    /// Makes a place free for an item that comes there.
    /// - Returns: Whether it is free; if not, something was moved out of the way, and the next comparison goes on.
    func clear(_ place: DrivePlace, for entry: DriveEntry) async throws -> Bool {
        let state = try state
        guard let other = try state.local(at: place), other.id != entry.id else { return true }
        // The server has only one of them there: what is known of it is not the latest.
        if let remote = other.remote, !remote.isDeleted, other.synced != nil, remote.shape.place == place {
            throw DriveFailure.changed(place.name)
        }
        for number in 2...FileLimits.numbersTried {
            let free = DrivePlace(folder: place.folder, name: FileName.numbered(place.name, number))
            guard try state.localItem(at: free) == nil else { continue }
            if lacksRoom(other, at: free.name) {
                _ = try await fill(other)
                return false
            }
            guard try await rename(other, to: free) else { continue }
            // The agent moved this item, not a person, so the move is not sent.
            if let remote = other.remote, remote.shape.place != place {
                try state.change(other.id) { $0.synced?.shape.place = free }
            }
            return false
        }
        throw DriveFailure.changed(place.name)
    }
}
