import Foundation
import StratusCloudKit

/// Performs the steps that resolve differences.
extension DriveAgent {
    /// Does what can be done at once.
    /// - Returns: Whether something was done.
    func work() async throws -> Bool {
        let (state, tree) = (try state, try tree)
        let reconciler = tree.reconciler
        var saves: [(DriveEntry, DriveStep)] = []
        var isDone = false
        var steps: [String: DriveStep] = [:]
        // Folders before what is in them, whatever order the database has.
        let order = try tree.order
        var next = 0
        for (index, id) in order.enumerated() {
            try Task.checkCancellation()
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
                failures[id] = nil
                if placesBefore(step, entry), try await placeAll() { isDone = true }
                next = max(next, index)
                try fetchAhead(order, &next, reconciler) { $0 != id && steps[$0] != nil }
                do {
                    if try await perform(step, entry) { isDone = true }
                } catch let error where DriveError.concernsItem(error) {
                    try note(error, of: entry)
                }
            }
        }
        if try await placeAll() { isDone = true }
        // Names to ignore that have just come hold for what is here already.
        guard try !ignoredNamesChanged() else { return true }
        if try await send(saves, tree) { isDone = true }
        return isDone
    }

    private func perform(_ step: DriveStep, _ entry: DriveEntry) async throws -> Bool {
        try checkpoints(.step, "\(step)")
        switch step {
        case .forget: placements.note(entry.id) { $0.synced = nil }
        case .adopt: placements.note(entry.id) { $0.adoptShape() }
        case .renewPlaceholder: placements.note(entry.id) { $0.renewPlaceholder() }
        case .createLocal: return try await prepare(entry)
        case .downloadLocal where entry.local?.isPlaceholder == true: return try await fill(entry)
        case .downloadLocal: return try await replace(entry)
        case .moveLocal: return try await move(entry)
        case .removeLocal: return try await removeLocal(entry)
        case .nothing, .save, .removeRemote, .restoreRemote: break
        }
        return false
    }
}

extension DriveEntry {
    /// Notes that both sides have the same place and properties.
    fileprivate mutating func adoptShape() {
        guard let remote else { return }
        synced = Synced(
            shape: remote.shape, checksum: synced?.checksum, version: synced?.version ?? 0, stamp: synced?.stamp)
    }

    /// Notes that a placeholder stands for the newest content.
    fileprivate mutating func renewPlaceholder() {
        synced?.checksum = remote?.checksum
        synced?.version = remote?.version ?? 0
    }
}
