import StratusWorkers

/// The changes that the programs of all devices saved, from which follows the graph that must exist in the end.
final class MirrorLedger: Sendable {
    private struct Written: Hashable {
        var name: String
        var key: String
    }

    private struct State {
        var number = 0
        var created: Set<String> = []
        var deleted: Set<String> = []
        /// The values that programs saved, with their devices, in the order of the saves.
        var values: [Written: [(device: Int, value: String?)]] = [:]
        var added: Set<[String]> = []
        var removed: Set<[String]> = []
        var isPurged = false
        /// Objects and values that somebody else may have refused.
        var uncertain: Set<String> = []
        var uncertainValues: Set<Written> = []
    }

    private let state = Lock(State())

    /// The next text that no other one equals.
    func next() -> Int {
        state.withLock { state in
            state.number += 1
            return state.number
        }
    }

    /// Takes what a save has written.
    func take(_ write: MirrorWrite, by device: Int, _ trust: MirrorTrust) {
        state.withLock { state in
            Self.note(write, trust, &state)
            switch write {
            case .created(let name, _): state.created.insert(name)
            case .deleted(let name, _): state.deleted.insert(name)
            case .set(let name, let key, let value, _):
                state.values[Written(name: name, key: key), default: []].append((device, value))
            case .added(let note, let tag): state.added.insert([note, tag])
            case .removed(let note, let tag): state.removed.insert([note, tag])
            }
        }
    }

    /// Notes what need not last.
    private static func note(_ write: MirrorWrite, _ trust: MirrorTrust, _ state: inout State) {
        guard trust != .full else { return }
        if trust == .existence {
            if case .set(let name, let key, _, _) = write {
                state.uncertainValues.insert(Written(name: name, key: key))
            }
            return
        }
        switch write {
        case .created(let name, _): state.uncertain.insert(name)
        case .deleted: break
        case .set(let name, let key, _, _):
            guard trust == .none || key == "parent" || key == "cover" else { return }
            state.uncertainValues.insert(Written(name: name, key: key))
        // Both at once: neither is looked at.
        case .added(let note, let tag), .removed(let note, let tag):
            state.added.insert([note, tag])
            state.removed.insert([note, tag])
        }
    }

    /// The person removed all data: anything that was saved may be gone.
    func purge() { state.withLock { $0.isPurged = true } }

    // MARK: - The end

    /// Checks the objects that all devices have in the end.
    func check(_ objects: [MirrorFinding]) throws {
        try state.withLock { state in
            let names = objects.map(\.name)
            guard Set(names).count == names.count else {
                throw MirrorViolation(.doublesNothing, names.sorted().joined(separator: " "))
            }
            try Self.checkExistence(Set(names), state)
            for object in objects { try Self.checkValues(object, Set(names), state) }
        }
    }

    private static func checkExistence(_ names: Set<String>, _ state: State) throws {
        for name in names where !state.created.contains(name) {
            throw MirrorViolation(.inventsNothing, "object \(name)")
        }
        for name in state.created
        where !names.contains(name) && !state.deleted.contains(name) && !state.isPurged
            && !state.uncertain.contains(name)
        {
            throw MirrorViolation(.keepsObjects, name)
        }
    }

    private static func checkValues(_ object: MirrorFinding, _ names: Set<String>, _ state: State) throws {
        for (key, value) in object.values {
            let place = Written(name: object.name, key: key)
            let (written, isUncertain) = (state.values[place] ?? [], state.uncertainValues.contains(place))
            let mayBeNil = key == "parent" || key == "cover" || written.isEmpty || isUncertain || state.isPurged
            let isFree = value == nil && mayBeNil
            guard isFree || written.contains(where: { $0.value == value }) else {
                throw MirrorViolation(.inventsNothing, "\(object.name).\(key) = \(value ?? "nil")")
            }
            // The changes of one device have an order, which no conflict changes.
            guard let last = written.last, Set(written.map(\.device)).count == 1, !state.isPurged, !isUncertain else {
                continue
            }
            guard
                last.value == value
                    || (key == "cover" || last.value.map { !names.contains($0) } ?? false && key == "parent")
            else {
                throw MirrorViolation(
                    .keepsValues, "\(object.name).\(key) = \(value ?? "nil"), not \(last.value ?? "nil")")
            }
        }
        for tag in object.tags where !state.added.contains([object.name, tag]) {
            throw MirrorViolation(.inventsNothing, "\(object.name) and \(tag)")
        }
        guard !state.isPurged else { return }
        for pair in state.added where pair[0] == object.name && names.contains(pair[1]) {
            guard object.tags.contains(pair[1]) || state.removed.contains(pair) else {
                throw MirrorViolation(.keepsValues, "\(pair[0]) and \(pair[1])")
            }
        }
    }
}

/// A change that a program saved.
enum MirrorWrite: Sendable {
    case created(String, isPublic: Bool)
    case deleted(String, isPublic: Bool)
    /// An attribute, or a to-one relationship as the name of the other object.
    case set(String, String, String?, isPublic: Bool)
    case added(String, String)
    case removed(String, String)

    /// The name of the object.
    var name: String {
        switch self {
        case .created(let name, _), .deleted(let name, _), .set(let name, _, _, _), .added(let name, _),
            .removed(let name, _):
            name
        }
    }

    /// Whether the object is in the public store.
    var isPublic: Bool {
        switch self {
        case .created(_, let isPublic), .deleted(_, let isPublic), .set(_, _, _, let isPublic): isPublic
        case .added, .removed: false
        }
    }
}

/// An object as it is in the end.
struct MirrorFinding: Sendable {
    var name: String
    /// Attributes as text, and to-one relationships as names.
    var values: [String: String?]
    var tags: [String]
}

/// A rule that was broken.
struct MirrorViolation: Error, Hashable, CustomStringConvertible {
    enum Rule: String, Sendable {
        case settles = "devices do not come to rest"
        case isEqual = "devices have different objects"
        case isOnServer = "devices and the server have different objects"
        case keepsObjects = "an object is gone that nobody deleted"
        case keepsValues = "a value is gone that nobody else changed"
        case inventsNothing = "there is something that nobody saved"
        case doublesNothing = "an object exists twice"
        case isQuiet = "a device at rest sends or changes something"
        case fails = "an error that nothing explains"
    }

    let rule: Rule
    let what: String

    init(_ rule: Rule, _ what: String) { (self.rule, self.what) = (rule, what) }

    var description: String { "\(rule.rawValue): \(what)" }
}
