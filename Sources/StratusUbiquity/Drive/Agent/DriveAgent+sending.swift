import Foundation
import StratusCloudKit
import StratusCloudModel

/// Sends records, and notes what the server says of them.
extension DriveAgent {
    /// Sends the changes of items, some in each request. What each request leads to is noted at once.
    /// - Returns: Whether something was done.
    func send(_ saves: [(DriveEntry, DriveStep)], _ tree: DriveTree) async throws -> Bool {
        let state = try state
        var isDone = false
        var rest = saves[...]
        while !rest.isEmpty {
            try Task.checkCancellation()
            var sent: [DriveSending] = []
            var bytes: Int64 = 0
            defer { for sending in sent { sending.removeCopy() } }
            try state.transaction {
                var looked = 0
                while looked < DriveLimits.placements, sent.count < Self.batch, bytes < DriveLimits.copies,
                    let (entry, step) = rest.popFirst()
                {
                    looked += 1
                    // Entries that this comparison has changed are for the next one.
                    guard try state[entry.id] == entry else {
                        isDone = true
                        continue
                    }
                    do {
                        switch try sending(entry, step, isAlive: try tree.isAlive(entry)) {
                        case .later: break
                        case .nothing: isDone = true
                        case .record(let sending):
                            sent.append(sending)
                            bytes += sending.size
                        }
                    } catch let error where DriveError.concernsItem(error) {
                        try note(error, of: entry)
                    }
                }
            }
            try await checkpoints.pause(.sending)
            let outcomes = await cloud.send(sent.map(\.record))
            try await checkpoints.pause(.sent)
            if try note(sent, outcomes) { isDone = true }
            // In the order in which they were sent, so that of items with one name always the same makes room.
            for sending in sent {
                guard case .failed(let error)? = outcomes[sending.entry.id] else { continue }
                do {
                    if try await settle(sending.entry.id, error) { isDone = true }
                } catch  where DriveError.concernsItem(error) {
                    failures[sending.entry.id] = error
                }
            }
        }
        return isDone
    }

    private enum Sending {
        case record(DriveSending)
        /// The server has what there is to send.
        case nothing
        case later
    }

    /// The record to send.
    private func sending(_ entry: DriveEntry, _ step: DriveStep, isAlive: Bool) throws -> Sending {
        let state = try state
        let record = DriveRecords.record(entry)
        let isNew = entry.remote == nil
        switch step {
        case .removeRemote:
            record[FileFormat.deleted] = now()
            return .record(DriveSending(entry: entry, step: step, record: record, shape: nil))
        case .save, .restoreRemote:
            guard let local = entry.local else { return .later }
            // The folder is sent before, with an earlier batch or in this one.
            let parent = local.shape.place.folder
            if !parent.isEmpty, try !state.hasLocal(parent) { return .later }
            DriveRecords.write(local.shape, to: record, isNew: isNew)
            if step == .restoreRemote { record[FileFormat.deleted] = nil as Date? }
            var sending = DriveSending(entry: entry, step: step, record: record, shape: local.shape)
            guard local.shape.kind.hasContent, !local.isPlaceholder, hasContentToSend(step, entry) else {
                return .record(sending)
            }
            let snapshot =
                local.shape.kind == .package
                ? try folder.packageSnapshot(try names(of: entry)) : try folder.snapshot(try names(of: entry))
            // Not what the scan saw: the next scan sees it.
            guard snapshot.stamp.inode == local.stamp.inode else {
                folder.discard(snapshot.copy)
                return .later
            }
            do {
                if isAlive, step == .save(content: true), try adopt(snapshot, of: entry) {
                    folder.discard(snapshot.copy)
                    return .nothing
                }
                sending.take(snapshot)
                guard snapshot.checksum != entry.remote?.checksum else { return .record(sending) }
                try write(snapshot, of: entry, local, to: record)
            } catch {
                folder.discard(snapshot.copy)
                throw error
            }
            return .record(sending)
        default: return .later
        }
    }

    /// Sets what a record says of a content.
    private func write(
        _ snapshot: (copy: String, checksum: String, stamp: DriveStamp), of entry: DriveEntry,
        _ local: DriveEntry.Local, to record: CKRecord
    ) throws {
        let asset = CKAsset(fileURL: URL(fileURLWithPath: snapshot.copy))
        asset.tracking = try tracking(of: entry.id, snapshot.checksum, at: snapshot.copy)
        record[FileFormat.content] = asset
        // A file that took the place of a placeholder was made without the server's content.
        record[FileFormat.base] = entry.synced?.stamp == nil ? 0 : entry.synced?.version ?? 0
        record[FileFormat.modified] =
            local.shape.kind == .package ? now() : DriveRecords.date(snapshot.stamp.modified / 1_000_000)
        record[FileFormat.device] = settings.deviceName
    }

    private func hasContentToSend(_ step: DriveStep, _ entry: DriveEntry) -> Bool {
        if case .save(let content) = step { return content }
        return entry.isEdited
    }

    /// Notes what the server has of the records that it saved.
    /// - Returns: Whether it saved any.
    private func note(_ sent: [DriveSending], _ outcomes: [String: DriveCloud.Outcome]) throws -> Bool {
        let state = try state
        var saved: [String] = []
        try state.transaction {
            for sending in sent {
                guard case .saved(let record)? = outcomes[sending.entry.id] else { continue }
                try state.change(sending.entry.id) { sending.note(in: &$0, record) }
                saved.append(sending.entry.id)
            }
        }
        for id in saved { failures[id] = nil }
        return !saved.isEmpty
    }

    /// Does what follows from the server's refusal of a record.
    private func settle(_ id: String, _ error: CKError) async throws -> Bool {
        try forgetUpload(id, after: error)
        switch error.code {
        case .constraintViolation:
            // Once the item that has the name is known, the two may turn out to be one.
            if collisions.insert(id).inserted { return true }
            return try await makeRoom(for: id)
        case .referenceViolation: return try undoMove(of: id) || isRetried(id, error)
        case .serverRecordChanged:
            // No fetch brings a record again that has not changed since, when what was known of it is damaged.
            if let record = error.serverRecord { try take(record) }
            return isRetried(id, error)
        case .unknownItem:
            try state.change(id) { $0.remote = nil }
            return true
        default:
            failures[id] = error
            return false
        }
    }

    /// Tries an item again once in a comparison, with what the next fetch brings.
    private func isRetried(_ id: String, _ error: CKError) -> Bool {
        if retried.insert(id).inserted { return true }
        failures[id] = error
        return false
    }

    /// Another item of the folder has the name: this one gets another one.
    func makeRoom(for id: String) async throws -> Bool {
        let state = try state
        guard let entry = try state[id], let place = entry.local?.shape.place else { return false }
        // Who has it on the server may be due to come here, or to move away.
        for number in 2...FileLimits.numbersTried {
            let name = FileName.numbered(place.name, number)
            let free = DrivePlace(folder: place.folder, name: name)
            guard try state.localItem(at: free) == nil else { continue }
            if lacksRoom(entry, at: name) {
                // The next comparison brings the content first.
                try state.change(id) { $0.isWanted = true }
                return true
            }
            if try await rename(entry, to: free) { return true }
        }
        return false
    }

    /// The server refuses the folder that an item was moved to: it goes back to where the server has it.
    private func undoMove(of id: String) throws -> Bool {
        let state = try state
        guard let entry = try state[id], let local = entry.local, let synced = entry.synced, entry.remote != nil,
            local.shape.place != synced.shape.place
        else {
            // The folder is deleted there, or not made yet: the next fetch says which.
            return false
        }
        try state.change(id) { $0.synced?.shape.place = local.shape.place }
        return true
    }
}
