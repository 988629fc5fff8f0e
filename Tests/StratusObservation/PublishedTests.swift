import StratusObservation
import Testing

private class Model: ObservableObject {
    @Published var name = "a"
    @Published private(set) var count = 0

    func increase() { count += 1 }
}

private final class Derived: Model {
    @Published var last = false
}

private actor Store: ObservableObject {
    @MainActor @Published var titles: [String] = []
}

@MainActor private final class ViewModel: ObservableObject {
    enum State { case loading, loaded([String]) }

    @Published private(set) var state: State = .loading

    nonisolated init() {}
    init(state: State) { self.state = state }
    func load() { state = .loaded(["a"]) }
}

@Suite struct PublishedTests {
    @Test func valuesComeInOrder() async {
        let model = Model()
        var values = model.$name.values.makeAsyncIterator()
        model.name = "b"
        model.name += "c"
        var seen: [String?] = []
        for _ in 0..<3 { seen.append(await values.next()) }
        #expect(seen == ["a", "b", "bc"] && model.name == "bc")
    }

    @Test func theObjectTellsOfEachChange() async {
        let model = Derived()
        #expect(model.objectWillChange === model.objectWillChange)
        var changes = model.objectWillChange.values.makeAsyncIterator()
        model.name = "b"
        model.increase()
        model.last = true
        for _ in 0..<3 { #expect(await changes.next() != nil) }
    }

    @Test func whatIsListenedToEndsWithIt() async {
        var changes = ObservableObjectPublisher().values.makeAsyncIterator()
        #expect(await changes.next() == nil)
    }

    @MainActor @Test func actorsAndTheMainActor() {
        let store = Store()
        store.titles.append("a")
        let model = ViewModel()
        model.load()
        guard case .loaded(let titles) = model.state else { return #expect(Bool(false)) }
        #expect(titles == store.titles)
    }
}
