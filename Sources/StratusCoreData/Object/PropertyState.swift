import Foundation
import StratusCompatibility

/// The state of one property of an object.
enum PropertyState {
    /// The value of the object's row, or destinations that have not been read yet.
    case stored
    case null
    /// The value of an attribute; numbers as `NSNumber`.
    case value(Any)
    /// The destination of a to-one relationship.
    case object(NSManagedObject)
    /// The destinations of a to-many relationship.
    case objects(ObjectCollection)

    /// The value as programs see it: a to-many relationship is an `NSSet` or an `NSOrderedSet`.
    var publicValue: Any? {
        switch self {
        case .stored, .null: nil
        case .value(let value): value
        case .object(let object): object
        case .objects(let objects): objects.publicValue
        }
    }

    /// The destinations of a relationship.
    var destinations: [NSManagedObject] {
        switch self {
        case .stored, .null, .value: []
        case .object(let object): [object]
        case .objects(let objects): objects.members
        }
    }

    var isStored: Bool { if case .stored = self { true } else { false } }

    /// Whether another state has the same value or the same destinations in the same order.
    func isSame(as other: PropertyState) -> Bool {
        switch (self, other) {
        case (.null, .null), (.stored, .stored): true
        case (.value(let one), .value(let other)): PredicateValue(one) == PredicateValue(other)
        case (.object(let one), .object(let other)): one === other
        case (.objects(let one), .objects(let other)): one == other
        default: false
        }
    }

    func leads(to object: NSManagedObject) -> Bool {
        switch self {
        case .object(let destination): destination === object
        case .objects(let objects): objects.contains(object)
        case .stored, .null, .value: false
        }
    }
}

/// The destinations of a to-many relationship.
struct ObjectCollection: Equatable {
    private var uniqueMembers: Set<NSManagedObject> = []
    /// The members in order; nil if the relationship is not ordered.
    private var order: [NSManagedObject]?

    init(isOrdered: Bool) { order = isOrdered ? [] : nil }

    init(_ members: [NSManagedObject], isOrdered: Bool) {
        self.init(isOrdered: isOrdered)
        for member in members { insert(member) }
    }

    var isOrdered: Bool { order != nil }

    var members: [NSManagedObject] { order ?? Array(uniqueMembers) }
    var publicValue: Any {
        if let order { return NSOrderedSet(array: order) }
        // Foundation's own conversion, which is thereby a part of programs that are linked statically. Without it, casts to
        // a set of Swift fail in them.
        return uniqueMembers._bridgeToObjectiveC()
    }

    func contains(_ object: NSManagedObject) -> Bool { uniqueMembers.contains(object) }

    mutating func insert(_ object: NSManagedObject) {
        guard uniqueMembers.insert(object).inserted else { return }
        order?.append(object)
    }

    mutating func remove(_ object: NSManagedObject) {
        guard uniqueMembers.remove(object) != nil else { return }
        order?.removeAll { $0 === object }
    }

    /// Puts the members in the order of others. Those that are not among the others stay at the end.
    mutating func arrange(_ others: [NSManagedObject]) {
        guard let order else { return }
        let known = Set(others)
        self.order = others.filter(uniqueMembers.contains) + order.filter { !known.contains($0) }
    }
}
