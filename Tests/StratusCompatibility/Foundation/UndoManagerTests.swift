import StratusCompatibility
import Testing

@Suite struct UndoManagerTests {
    /// A number whose changes can be undone.
    private final class Counter {
        let manager = UndoManager()
        private(set) var value = 0

        init() { manager.groupsByEvent = false }

        func set(_ new: Int) {
            let former = value
            manager.registerUndo(withTarget: self) { $0.set(former) }
            value = new
        }

        func change(to new: Int, named name: String = "") {
            manager.beginUndoGrouping()
            set(new)
            manager.setActionName(name)
            manager.endUndoGrouping()
        }
    }

    @Test func groupsAreUndoneAndRedoneInOrder() {
        let counter = Counter()
        for value in 1...3 { counter.change(to: value) }
        counter.manager.undo()
        counter.manager.undo()
        #expect(counter.value == 1 && counter.manager.canUndo && counter.manager.canRedo)
        counter.manager.redo()
        #expect(counter.value == 2)
        counter.change(to: 9)
        #expect(!counter.manager.canRedo)
    }

    @Test func groupsInsideOfAnotherAreUndoneWithIt() {
        let counter = Counter()
        counter.manager.beginUndoGrouping()
        counter.change(to: 1)
        counter.change(to: 2)
        counter.manager.endUndoGrouping()
        counter.manager.undo()
        #expect(counter.value == 0 && !counter.manager.canUndo)
    }

    @Test func namesStayWithTheirGroups() {
        let counter = Counter()
        counter.change(to: 1, named: "Count")
        #expect(counter.manager.undoMenuItemTitle == "Undo Count")
        counter.manager.undo()
        #expect(counter.manager.redoMenuItemTitle == "Redo Count" && counter.manager.undoMenuItemTitle == "Undo")
    }

    @Test func registrationCanBeDisabled() {
        let counter = Counter()
        counter.manager.disableUndoRegistration()
        counter.change(to: 1)
        counter.manager.enableUndoRegistration()
        #expect(counter.value == 1 && !counter.manager.canUndo)
    }

    @Test func onlyTheLatestGroupsAreKept() {
        let counter = Counter()
        counter.manager.levelsOfUndo = 2
        for value in 1...4 { counter.change(to: value) }
        for _ in 0..<4 { counter.manager.undo() }
        #expect(counter.value == 2)
    }

    @Test func targetsAreNotKeptAlive() {
        let manager = UndoManager()
        weak var target: NSObject?
        do {
            let object = NSObject()
            target = object
            manager.registerUndo(withTarget: object) { _ in Issue.record("the target does not exist any more") }
        }
        #expect(target == nil)
        manager.undo()
    }

    @Test func checkpointsComeBeforeGroupsAreClosed() {
        let counter = Counter()
        let manager = counter.manager
        manager.beginUndoGrouping()
        let observer = NotificationCenter.default.addObserver(
            forName: .NSUndoManagerCheckpoint, object: manager, queue: nil
        ) { _ in #expect(manager.groupingLevel == 1) }
        manager.endUndoGrouping()
        NotificationCenter.default.removeObserver(observer)
        #expect(manager.groupingLevel == 0)
    }

    @Test @MainActor func aTurnOfTheMainQueueIsOneGroup() async {
        let counter = Counter()
        counter.manager.groupsByEvent = true
        counter.set(1)
        counter.set(2)
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
        counter.set(3)
        counter.manager.undo()
        #expect(counter.value == 2)
        counter.manager.undo()
        #expect(counter.value == 0)
    }
}
