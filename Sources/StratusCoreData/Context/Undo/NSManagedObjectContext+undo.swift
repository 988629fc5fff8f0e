import Foundation
import StratusCompatibility

extension NSManagedObjectContext {
    /// Follows the undo manager: changes that are not processed yet belong to the group before a checkpoint.
    func observeUndoManager(insteadOf former: UndoManager?) {
        former?.removeAllActions(withTarget: self)
        if let undoObserver { NotificationCenter.default.removeObserver(undoObserver) }
        undoObserver = undoManager.map { manager in
            NotificationCenter.default.addObserver(
                forName: .NSUndoManagerCheckpoint, object: manager, queue: nil
            ) { [weak self] _ in
                guard let self, self.queue.isCurrent else { return }
                self.endEvent()
            }
        }
    }

    /// Runs a block whose changes cannot be undone, such as those that others have made.
    func withoutUndo(_ body: () throws -> Void) rethrows {
        guard let undoManager else { return try body() }
        undoManager.disableUndoRegistration()
        defer { undoManager.enableUndoRegistration() }
        try body()
    }

    /// Returns what undoes an event; nil if nobody can ask for it.
    func undoStep(of event: ContextEvent) -> UndoStep? {
        guard let undoManager, undoManager.isUndoRegistrationEnabled else { return nil }
        return UndoStep(event)
    }

    func register(_ step: UndoStep) {
        undoManager?.registerUndo(withTarget: self) { $0.undo(step) }
    }

    /// Undoes the changes of an event. These are changes, too, so that they can be undone and saved.
    private func undo(_ step: UndoStep) {
        checkQueue()
        endEvent()
        let revived = step.deleted.filter { revive($0.object) }
        for deletion in revived {
            let object = deletion.object
            for (position, state) in deletion.states.enumerated() {
                object.putBack(state, insteadOf: object.table.properties[position].emptyState, position)
            }
            object.linkDestinations()
        }
        let changed = step.changed.filter { $0.object.isUsable(in: self) }
        for change in changed { change.object.putBack(change.before, insteadOf: change.after, change.position) }
        let removed = step.inserted.filter { $0.isUsable(in: self) }
        for object in removed { takeBack(object) }
        for object in event.changed where !object.isInserted && !object.isDeleted {
            if !object.forgetEqualChanges() { updated.remove(object) }
        }
        withoutProcessing {
            for deletion in revived { deletion.object.awake(fromSnapshotEvents: .undoDeletion) }
            for object in Set(changed.map(\.object)) { object.awake(fromSnapshotEvents: .undoUpdate) }
            for object in removed { object.awake(fromSnapshotEvents: .undoInsertion) }
        }
        endEvent()
    }

    /// Makes a deleted object one of the context again.
    private func revive(_ object: NSManagedObject) -> Bool {
        if object.managedObjectContext === self {
            guard object.isDeleted else { return false }
            restore(object)
        } else {
            guard object.managedObjectContext == nil else { return false }
            // The deletion has been saved: the next save inserts the object with the ID that it had.
            if let fault = objects[object.objectID] { forget(fault) }
            object.becomeNew()
            register(object)
            inserted.insert(object)
        }
        event.inserted.insert(object)
        scheduleProcessing()
        return true
    }

    /// Deletes an object whose insertion is undone. Delete rules do not apply, because what led to it is undone, too.
    private func takeBack(_ object: NSManagedObject) {
        object.unlinkDestinations()
        object.isDeleted = true
        updated.remove(object)
        deleted.insert(object)
        event.deleted.insert(object)
        scheduleProcessing()
    }
}
