import Foundation

// `@unchecked Sendable`: a manager is used on one thread or queue at a time, that of its document or context, as with
// Apple. Nothing here uses it elsewhere: the block that closes groups is made on the main queue and runs there.
/// Records how to undo what a person does, in groups that are undone together.
///
/// Foundation on Linux has none. Everything that is registered in one turn of the main queue is one group, unless
/// ``groupsByEvent`` is false. On other queues such a group stays open until an undo, or until the context of Core Data
/// that uses the manager has run a block.
open class UndoManager: NSObject, @unchecked Sendable {
    private final class Group {
        var actions: [(target: ObjectIdentifier, call: () -> Void)] = []
        var name = ""
    }

    private enum Mode { case normal, undoing, redoing }

    private var undoStack: [Group] = []
    private var redoStack: [Group] = []
    private var open: [Group] = []
    private var mode = Mode.normal
    private var disabled = 0
    private var closesByEvent = false

    public override init() { super.init() }

    /// Whether what is registered in one turn of the main queue is one group.
    open var groupsByEvent = true
    /// Groups that are kept, at most; 0 for any number.
    open var levelsOfUndo = 0 {
        didSet { trim() }
    }

    /// Whether something was registered in a group that is not closed yet.
    package var hasOpenActions: Bool { mode == .normal && open.contains { !$0.actions.isEmpty } }

    /// Groups that are open inside each other.
    open var groupingLevel: Int { open.count }
    /// Whether actions are registered at the moment.
    open var isUndoRegistrationEnabled: Bool { disabled == 0 }
    open var isUndoing: Bool { mode == .undoing }
    open var isRedoing: Bool { mode == .redoing }
    open var canUndo: Bool { !undoStack.isEmpty || open.contains { !$0.actions.isEmpty } && mode == .normal }
    open var canRedo: Bool {
        // A change that an observer has not registered yet makes a redo impossible.
        post(.NSUndoManagerCheckpoint)
        return !redoStack.isEmpty
    }
    /// The name of the group that is undone next.
    open var undoActionName: String { open.first?.name ?? undoStack.last?.name ?? "" }
    /// The name of the group that is redone next.
    open var redoActionName: String { redoStack.last?.name ?? "" }
    open var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }
    open var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

    open func undoMenuTitle(forUndoActionName actionName: String) -> String {
        actionName.isEmpty ? "Undo" : "Undo \(actionName)"
    }

    open func redoMenuTitle(forUndoActionName actionName: String) -> String {
        actionName.isEmpty ? "Redo" : "Redo \(actionName)"
    }

    open func disableUndoRegistration() { disabled += 1 }

    open func enableUndoRegistration() {
        precondition(disabled > 0, "enableUndoRegistration without disableUndoRegistration")
        disabled -= 1
    }

    open func beginUndoGrouping() {
        post(.NSUndoManagerCheckpoint)
        openGroup()
    }

    private func openGroup() {
        open.append(Group())
        post(.NSUndoManagerDidOpenUndoGroup)
    }

    /// Closes the innermost group. One inside of another becomes part of it.
    open func endUndoGrouping() {
        post(.NSUndoManagerCheckpoint)
        closeGroup()
    }

    private func closeGroup() {
        guard let group = open.popLast() else { preconditionFailure("endUndoGrouping without beginUndoGrouping") }
        post(.NSUndoManagerWillCloseUndoGroup)
        if let outer = open.last {
            outer.actions += group.actions
            if !group.name.isEmpty { outer.name = group.name }
        } else if !group.actions.isEmpty {
            if mode == .undoing { redoStack.append(group) } else { undoStack.append(group) }
            trim()
        }
        if mode == .normal, open.isEmpty, !group.actions.isEmpty { post(.NSUndoManagerDidCloseUndoGroup) }
    }

    /// Registers what undoes what was just done. The target is not kept alive, and nothing is done without it.
    open func registerUndo<Target: AnyObject>(withTarget target: Target, handler: @escaping (Target) -> Void) {
        guard isUndoRegistrationEnabled else { return }
        if mode == .normal { redoStack = [] }
        if open.isEmpty {
            precondition(groupsByEvent, "an undo was registered outside of a group")
            openGroup()
            closeAfterEvent()
        }
        open[open.count - 1].actions.append(
            (
                ObjectIdentifier(target),
                { [weak target] in
                    if let target { handler(target) }
                }
            ))
    }

    /// Names the group that is open, or the last one.
    open func setActionName(_ actionName: String) { (open.last ?? undoStack.last)?.name = actionName }

    /// Undoes the latest group.
    open func undo() {
        endEventGroup()
        undoNestedGroup()
    }

    /// Undoes the latest group, while none is open.
    open func undoNestedGroup() {
        guard let group = undoStack.popLast() else { return }
        post(.NSUndoManagerWillUndoChange)
        run(group, .undoing)
        post(.NSUndoManagerDidUndoChange)
    }

    /// Does what was undone last again.
    open func redo() {
        endEventGroup()
        guard let group = redoStack.popLast() else { return }
        post(.NSUndoManagerWillRedoChange)
        run(group, .redoing)
        post(.NSUndoManagerDidRedoChange)
    }

    open func removeAllActions() {
        undoStack = []
        redoStack = []
        for group in open { group.actions = [] }
    }

    open func removeAllActions(withTarget target: Any) {
        let identifier = ObjectIdentifier(target as AnyObject)
        for group in undoStack + redoStack + open { group.actions.removeAll { $0.target == identifier } }
        undoStack.removeAll { $0.actions.isEmpty }
        redoStack.removeAll { $0.actions.isEmpty }
    }

    private func run(_ group: Group, _ mode: Mode) {
        self.mode = mode
        openGroup()
        for action in group.actions.reversed() { action.call() }
        if let name = open.last, name.name.isEmpty { name.name = group.name }
        closeGroup()
        self.mode = .normal
    }

    private func closeAfterEvent() {
        guard !closesByEvent else { return }
        closesByEvent = true
        guard Self.isOnMainQueue else { return }
        DispatchQueue.main.async { [weak self] in self?.endEventGroup() }
    }

    private static let mainKey: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// In programs with an asynchronous main function, the main queue runs on other threads than the main one.
    private static var isOnMainQueue: Bool { Thread.isMainThread || DispatchQueue.getSpecific(key: mainKey) == true }

    /// Closes the group of the event, for owners on other queues than the main one. Observers of the checkpoint register
    /// their changes first.
    package func endEventGroup() {
        post(.NSUndoManagerCheckpoint)
        guard closesByEvent else { return }
        closesByEvent = false
        while !open.isEmpty { closeGroup() }
    }

    private func trim() {
        guard levelsOfUndo > 0 else { return }
        undoStack = undoStack.suffix(levelsOfUndo)
        redoStack = redoStack.suffix(levelsOfUndo)
    }

    private func post(_ name: Notification.Name) { NotificationCenter.default.post(name: name, object: self) }
}

extension Notification.Name {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Posted before groups are opened, closed, undone or redone, so that observers can register what they have not yet.
    public static let NSUndoManagerCheckpoint = Notification.Name("NSUndoManagerCheckpointNotification")
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Posted after an undo group was opened.
    public static let NSUndoManagerDidOpenUndoGroup = Notification.Name("NSUndoManagerDidOpenUndoGroupNotification")
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Posted before an undo group is closed.
    public static let NSUndoManagerWillCloseUndoGroup = Notification.Name("NSUndoManagerWillCloseUndoGroupNotification")
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Posted after an undo group was closed.
    public static let NSUndoManagerDidCloseUndoGroup = Notification.Name("NSUndoManagerDidCloseUndoGroupNotification")
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Posted before an undo.
    public static let NSUndoManagerWillUndoChange = Notification.Name("NSUndoManagerWillUndoChangeNotification")
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Posted after an undo.
    public static let NSUndoManagerDidUndoChange = Notification.Name("NSUndoManagerDidUndoChangeNotification")
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Posted before a redo.
    public static let NSUndoManagerWillRedoChange = Notification.Name("NSUndoManagerWillRedoChangeNotification")
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Posted after a redo.
    public static let NSUndoManagerDidRedoChange = Notification.Name("NSUndoManagerDidRedoChangeNotification")
}
