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

@Suite struct FutureTests {
    private struct Failure: Error, Equatable {}

    /// Asks for nothing until it is told to.
    private final class Patient: Subscriber {
        var subscription: (any Subscription)?
        var seen: [String] = []
        func receive(subscription: any Subscription) { self.subscription = subscription }
        func receive(_ input: Int) -> Subscribers.Demand {
            seen.append("\(input)")
            return .none
        }
        func receive(completion: Subscribers.Completion<Failure>) {
            seen.append(completion == .finished ? "finished" : "failed")
        }
    }

    @Test func oneValueForAllWhoAsk() {
        var promise: Future<Int, Failure>.Promise?
        var begun = 0
        let future = Future<Int, Failure> {
            promise = $0
            begun += 1
        }
        let (early, idle, gone) = (Patient(), Patient(), Patient())
        for subscriber in [early, idle, gone] { future.subscribe(subscriber) }
        early.subscription?.request(.max(1))
        gone.subscription?.request(.unlimited)
        gone.subscription?.cancel()
        #expect(early.seen.isEmpty)
        promise?(.success(5))
        promise?(.failure(Failure()))
        #expect(early.seen == ["5", "finished"] && idle.seen.isEmpty && gone.seen.isEmpty)
        idle.subscription?.request(.max(1))
        #expect(idle.seen == ["5", "finished"])
        var late: [Int] = []
        let listening = future.sink(receiveCompletion: { _ in }, receiveValue: { late.append($0) })
        #expect(late == [5] && begun == 1)
        withExtendedLifetime(listening) {}
    }

    @Test func errorsComeUnasked() {
        let patient = Patient()
        Future<Int, Failure> { $0(.failure(Failure())) }.subscribe(patient)
        #expect(patient.seen == ["failed"])
    }

    @Test func deferredFuturesBeginWhenSomebodyListens() {
        var begun = 0
        let deferred = Deferred {
            Future<Int, Never> {
                begun += 1
                $0(.success(begun))
            }
        }
        #expect(begun == 0)
        var seen: [Int] = []
        let listening = [deferred.sink { seen.append($0) }, deferred.sink { seen.append($0) }]
        #expect(seen == [1, 2])
        withExtendedLifetime(listening) {}
    }

    @Test func eventsAreToldOf() {
        let subject = PassthroughSubject<Int, Failure>()
        var told: [String] = []
        func publisher() -> some Publisher<Int, Failure> {
            subject.handleEvents(
                receiveSubscription: { _ in told.append("begun") }, receiveOutput: { told.append("\($0)") },
                receiveCompletion: { told.append("\($0)") }, receiveCancel: { told.append("cancelled") },
                receiveRequest: { told.append($0.description) })
        }
        let patient = Patient()
        publisher().subscribe(patient)
        patient.subscription?.request(.max(1))
        subject.send(7)
        patient.subscription?.cancel()
        subject.send(8)
        #expect(told == ["begun", "max(1)", "7", "cancelled"] && patient.seen == ["7"])
        told = []
        let listening = publisher().sink(receiveCompletion: { _ in }, receiveValue: { _ in })
        subject.send(completion: .finished)
        #expect(told == ["begun", "unlimited", "finished"])
        withExtendedLifetime(listening) {}
    }

    @Test func notifications() {
        let center = NotificationCenter()
        let (name, object) = (Notification.Name("n"), NSObject())
        var told: [Int] = []
        var listening: AnyCancellable? = center.publisher(for: name, object: object).sink {
            told.append($0.userInfo?["n"] as? Int ?? 0)
        }
        center.post(name: name, object: object, userInfo: ["n": 1])
        center.post(name: name, object: nil, userInfo: ["n": 2])
        center.post(name: Notification.Name("other"), object: object, userInfo: ["n": 3])
        listening?.cancel()
        listening = nil
        center.post(name: name, object: object, userInfo: ["n": 4])
        #expect(told == [1])
        weak let gone = { () -> NSObject? in
            let held = NSObject()
            var endings: AnyCancellable? = center.publisher(for: name).sink { _ in print(held) }
            endings?.cancel()
            endings = nil
            return held
        }()
        #expect(gone == nil, "what was cancelled holds nothing")
    }

    /// What was told, on any thread.
    private final class Told: @unchecked Sendable {
        // All that reads or writes it runs on the queue, or after it has.
        var lines: [String] = []
    }

    @Test func onAnotherQueue() async {
        let queue = DispatchQueue(label: "elsewhere")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let (subject, told) = (PassthroughSubject<Int, Never>(), Told())
        let listening = subject.receive(on: queue).sink {
            told.lines.append("\($0)")
        } receiveValue: {
            told.lines.append("\($0) \(DispatchQueue.getSpecific(key: key) ?? false)")
        }
        queue.suspend()
        for number in 1...3 { subject.send(number) }
        subject.send(completion: .finished)
        #expect(told.lines.isEmpty)
        queue.resume()
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        #expect(told.lines == ["1 true", "2 true", "3 true", "finished"])
        withExtendedLifetime(listening) {}
    }

    @Test func nothingComesElsewhereAfterTheEnd() async {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let (subject, told) = (PassthroughSubject<Int, Never>(), Told())
        let listening = subject.receive(on: queue).sink { told.lines.append("\($0)") }
        subject.send(1)
        listening.cancel()
        queue.isSuspended = false
        await withCheckedContinuation { continuation in queue.addOperation { continuation.resume() } }
        #expect(told.lines.isEmpty)
        let now = Just(5).receive(on: ImmediateScheduler.shared).sink { told.lines.append("\($0)") }
        #expect(told.lines == ["5"])
        withExtendedLifetime(now) {}
    }

    @Test func demandsAreNumbersAsWell() {
        var demand = Subscribers.Demand.max(3)
        demand -= 1
        demand += 2
        #expect(demand == 4 && demand > 3 && demand + 1 == .max(5) && demand - 5 == .none)
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
