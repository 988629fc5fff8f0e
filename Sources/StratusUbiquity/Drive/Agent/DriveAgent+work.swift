import Foundation
import StratusCloudKit
import StratusCloudModel
import StratusSQLite

/// Performs the steps that resolve differences.
extension DriveAgent {
    /// Does what can be done at once.
    /// - Returns: Whether something was done.
    func work() async throws -> Bool {
        let state = try state
        let tree = DriveTree(state, try selection)
        let reconciler = tree.reconciler
        var saves: [(DriveEntry, DriveStep)] = []
        var isDone = false
        var steps: [String: DriveStep] = [:]
        // Folders before what is in them, whatever order the database has.
        let order = try tree.order
        var next = 0
        for id in order {
            try Task.checkCancellation()
            try fetchAhead(order, &next, reconciler)
            // While copies of its contents are in the way, nothing else is done with an item.
            guard let entry = try state[id], !entry.hasOrphanedCopies else { continue }
            let step = try reconciler.step(entry)
            steps[id] = step
            switch step {
            case .nothing: continue
            // The folder that it was in takes it along.
            case .removeRemote where steps[entry.remote?.shape.place.folder ?? ""] == .removeRemote: continue
            case .save, .removeRemote, .restoreRemote: saves.append((entry, step))
            default:
                do {
                    if try await perform(step, entry) { isDone = true }
                    failures[id] = nil
                } catch let error where DriveError.concernsItem(error) {
                    try note(error, of: entry)
                }
            }
        }
        // Names to ignore that have just come hold for what is here already.
        guard try !ignoredNamesChanged() else { return true }
        if try await send(saves, tree) { isDone = true }
        return isDone
    }

    private func perform(_ step: DriveStep, _ entry: DriveEntry) async throws -> Bool {
        let state = try state
        try checkpoints(.step, "\(step)")
        switch step {
        case .forget:
            try state.change(entry.id) { $0.synced = nil }
            return true
        case .adopt:
            try state.change(entry.id) { entry in
                guard let remote = entry.remote else { return }
                let former = entry.synced
                entry.synced = DriveEntry.Synced(
                    shape: remote.shape, checksum: former?.checksum, version: former?.version ?? 0,
                    stamp: former?.stamp)
            }
            return true
        case .createLocal: return try await create(entry)
        case .downloadLocal where entry.local?.isPlaceholder == true: return try await fill(entry)
        case .downloadLocal: return try await replace(entry)
        case .renewPlaceholder:
            try state.change(entry.id) { entry in
                entry.synced?.checksum = entry.remote?.checksum
                entry.synced?.version = entry.remote?.version ?? 0
            }
            return true
        case .moveLocal: return try await move(entry)
        case .removeLocal: return try await removeLocal(entry)
        case .nothing, .save, .removeRemote, .restoreRemote: return false
        }
    }

    // MARK: - Sending

    private func send(_ saves: [(DriveEntry, DriveStep)], _ tree: DriveTree) async throws -> Bool {
        var isDone = false
        var rest = saves[...]
        while !rest.isEmpty {
            try Task.checkCancellation()
            var sent: [DriveSending] = []
            var bytes: Int64 = 0
            defer { for sending in sent { sending.removeCopy() } }
            while sent.count < Self.batch, bytes < DriveLimits.copies, let (entry, step) = rest.popFirst() {
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
            try await checkpoints.pause(.sending)
            let outcomes = await cloud.send(sent.map(\.record))
            try await checkpoints.pause(.sent)
            // In the order in which they were sent, so that of items with one name always the same makes room.
            for sending in sent {
                guard let outcome = outcomes[sending.entry.id] else { continue }
                do {
                    if try await settle(sending, outcome) { isDone = true }
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

    /// Notes what became of a record that was sent.
    private func settle(_ sending: DriveSending, _ outcome: DriveCloud.Outcome) async throws -> Bool {
        let state = try state
        let id = sending.entry.id
        switch outcome {
        case .saved(let record):
            try state.change(id) { sending.note(in: &$0, record) }
            failures[id] = nil
            return true
        case .failed(let error):
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

/// A record on its way, and the changes of its entry once the server has it.
struct DriveSending {
    let entry: DriveEntry
    let step: DriveStep
    let record: CKRecord
    let shape: DriveEntry.Shape?
    private var copy: String?
    private var checksum: String?
    private var stamp: DriveStamp?

    init(entry: DriveEntry, step: DriveStep, record: CKRecord, shape: DriveEntry.Shape?) {
        self.entry = entry
        self.step = step
        self.record = record
        self.shape = shape
    }

    mutating func take(_ snapshot: (copy: String, checksum: String, stamp: DriveStamp)) {
        (copy, checksum, stamp) = (snapshot.copy, snapshot.checksum, snapshot.stamp)
    }

    /// Bytes of the copy, as far as they are known.
    var size: Int64 { copy == nil ? 0 : stamp?.size ?? 0 }

    func removeCopy() { if let copy { try? FileManager.default.removeItem(atPath: copy) } }

    func note(in entry: inout DriveEntry, _ record: CKRecord) {
        var remote =
            entry.remote
            ?? DriveEntry.Remote(
                shape: shape ?? DriveEntry.Shape(place: DrivePlace(folder: "", name: ""), kind: .file))
        (remote.changeTag, remote.systemFields) = (record.recordChangeTag, nil)
        guard let shape else {
            remote.deleted = FileRecord.milliseconds(record[FileFormat.deleted] as? Date ?? Date())
            entry.remote = remote
            entry.synced = nil
            return
        }
        remote.shape = shape
        remote.deleted = nil
        var synced = entry.synced ?? DriveEntry.Synced(shape: shape)
        synced.shape = shape
        if let checksum {
            entry.upload = nil
            // The next fetch shows which content is current.
            (synced.checksum, synced.stamp) = (checksum, stamp)
            remote.checksum = checksum
        }
        (entry.remote, entry.synced) = (remote, synced)
    }
}
