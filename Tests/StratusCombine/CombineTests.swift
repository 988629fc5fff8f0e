import CloudKit
import Combine
import Testing

@Suite struct PropertyTests {
    private final class Model: ObservableObject {
        @Published private(set) var names: [String] = []
        @Published private var contacts: [String: Int]

        init(_ contacts: [String: Int] = [:]) {
            self.contacts = contacts
            $contacts.map { $0.keys.sorted() }.assign(to: &$names)
        }

        func add(_ name: String) { contacts[name] = 1 }
    }

    @Test func assignedToAnotherProperty() {
        let model = Model(["b": 1])
        #expect(model.names == ["b"])
        model.add("a")
        #expect(model.names == ["a", "b"])
    }

    @Test func assignmentsHoldNobody() {
        var model: Model? = Model()
        weak let gone = model
        model?.add("a")
        model = nil
        #expect(gone == nil)
    }

    @Test func theValueThereIsThenEachBeforeThePropertyHasIt() {
        final class Counter { @Published var count = 1 }
        let counter = Counter()
        var seen: [[Int]] = []
        let listening = counter.$count.sink { seen.append([$0, counter.count]) }
        counter.count = 2
        listening.cancel()
        counter.count = 3
        #expect(seen == [[1, 1], [2, 1]])
    }

    @Test func aListenerMaySetThePropertyAndBringAnother() {
        final class Counter { @Published var count = 0 }
        let counter = Counter()
        var all: Set<AnyCancellable> = []
        var seen: [Int] = []
        counter.$count.sink { value in
            if value == 1 {
                counter.count = 10
                counter.$count.dropFirst().sink { seen.append(-$0) }.store(in: &all)
            }
            seen.append(value)
        }.store(in: &all)
        counter.count = 1
        counter.count = 2
        #expect(seen == [0, 10, 1, 2, -2])
    }

    @Test func objectsTellBeforeTheyChange() {
        let model = Model()
        var count = 0
        let listening = model.objectWillChange.sink { count += 1 }
        model.add("a")
        #expect(count == 2, "the dictionary and the names")
        listening.cancel()
        model.add("b")
        #expect(count == 2)
    }

    @Test func whatIsHeldNoLongerEnds() {
        final class Counter { @Published var count = 0 }
        let counter = Counter()
        var seen: [Int] = []
        var listening: AnyCancellable? = counter.$count.sink { seen.append($0) }
        _ = listening
        listening = nil
        counter.count = 1
        #expect(seen == [0])
    }

    @Test func assignedToAnObject() {
        final class Target { var text = "" }
        let target = Target()
        let subject = PassthroughSubject<Int, Never>()
        let assigning = subject.map { "\($0)" }.assign(to: \.text, on: target)
        subject.send(5)
        assigning.cancel()
        subject.send(6)
        #expect(target.text == "5")
    }
}

@Suite struct SubjectTests {
    private struct Failure: Error, Equatable {}

    @Test func operators() {
        let subject = PassthroughSubject<Int, Never>()
        var seen: [String] = []
        let listening = subject.filter { $0 % 2 == 0 }.removeDuplicates().dropFirst().compactMap { $0 > 8 ? nil : $0 }
            .map { "\($0)" }.eraseToAnyPublisher().sink {
                seen.append("end \($0)")
            } receiveValue: {
                seen.append($0)
            }
        for number in [2, 3, 4, 4, 6, 10, 8] { subject.send(number) }
        subject.send(completion: .finished)
        subject.send(8)
        #expect(seen == ["4", "6", "8", "end finished"])
        withExtendedLifetime(listening) {}
    }

    @Test func aSubjectThatIsOverSaysSo() {
        let subject = CurrentValueSubject<Int, Failure>(1)
        subject.send(2)
        subject.send(completion: .failure(Failure()))
        subject.value = 3
        var seen: [Int] = []
        var ends: [Subscribers.Completion<Failure>] = []
        let listening = subject.sink {
            ends.append($0)
        } receiveValue: {
            seen.append($0)
        }
        #expect(seen.isEmpty && ends == [.failure(Failure())] && subject.value == 2)
        withExtendedLifetime(listening) {}
    }

    /// Asks for values one by one.
    private final class Reader: Subscriber {
        typealias Failure = Never
        var subscription: (any Subscription)?
        var seen: [Int] = []
        var more = Subscribers.Demand.none

        func receive(subscription: any Subscription) { self.subscription = subscription }
        func receive(_ input: Int) -> Subscribers.Demand {
            seen.append(input)
            return more
        }
        func receive(completion: Subscribers.Completion<Never>) { seen.append(-1) }
    }

    @Test func nobodyIsToldMoreThanTheyAskedFor() {
        let (passing, current) = (PassthroughSubject<Int, Never>(), CurrentValueSubject<Int, Never>(0))
        let (first, second) = (Reader(), Reader())
        passing.subscribe(first)
        current.subscribe(second)
        for number in 1...3 {
            passing.send(number)
            current.send(number)
        }
        #expect(first.seen.isEmpty && second.seen.isEmpty)
        first.subscription?.request(.max(2))
        second.subscription?.request(.max(2))
        for number in 4...6 {
            passing.send(number)
            current.send(number)
        }
        #expect(first.seen == [4, 5], "what was missed is gone")
        #expect(second.seen == [3, 4], "the latest is not")
        second.more = .max(1)
        second.subscription?.request(.max(1))
        #expect(second.seen == [3, 4, 6])
        current.send(7)
        #expect(second.seen == [3, 4, 6, 7])
        second.subscription?.cancel()
        current.send(8)
        current.send(completion: .finished)
        #expect(second.seen == [3, 4, 6, 7])
    }

    @Test func justOne() {
        let reader = Reader()
        Just(5).subscribe(reader)
        #expect(reader.seen.isEmpty)
        reader.subscription?.request(.unlimited)
        reader.subscription?.request(.unlimited)
        #expect(reader.seen == [5, -1])
    }

    @Test func demands() {
        #expect(Subscribers.Demand.unlimited + .max(1) == .unlimited && .max(1) + .max(2) == Subscribers.Demand.max(3))
        #expect(Subscribers.Demand.max(1) < .unlimited && !(Subscribers.Demand.unlimited < .unlimited))
        #expect(Subscribers.Demand.max(.max) + .max(1) == .unlimited && .max(1) - .max(2) == Subscribers.Demand.none)
    }

    @Test("From several threads nothing is lost")
    func threads() async {
        let subject = PassthroughSubject<Int, Never>()
        let counter = Counter()
        let listening = subject.sink { _ in counter.increase() }
        let box = Box(subject)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { for number in 0..<1_000 { box.subject.send(number) } } }
        }
        #expect(counter.count == 4_000)
        withExtendedLifetime(listening) {}
    }

    /// `@unchecked Sendable`: the count is under a lock.
    private final class Counter: @unchecked Sendable {
        private let lock = NSLock()
        private var total = 0
        var count: Int { lock.withLock { total } }
        func increase() { lock.withLock { total += 1 } }
    }

    /// `@unchecked Sendable`: a subject guards itself.
    private final class Box: @unchecked Sendable {
        let subject: PassthroughSubject<Int, Never>
        init(_ subject: PassthroughSubject<Int, Never>) { self.subject = subject }
    }
}
