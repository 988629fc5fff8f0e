import Foundation

/// A sort descriptor that knows its key by name: what `NSSortDescriptor(key:ascending:)` makes. Open for descriptors
/// that mean more than the key, as `CKLocationSortDescriptor`.
open class KeySortDescriptor: NSSortDescriptor {
    /// Keys from the object on, separated by dots; nil is the object itself.
    public let keyName: String?

    /// The order of texts.
    package let textOrder: TextOrder

    private let order: Comparator?

    /// Whether values are compared in a way of the program's own.
    public var hasComparator: Bool { order != nil }

    /// Makes a descriptor; without a comparator values stand in the order in which predicates compare them.
    public init(key: String?, ascending: Bool, comparator: Comparator? = nil) {
        keyName = key
        textOrder = .plain
        order = comparator
        // Foundation wants a key path of Swift's, which nothing here asks.
        super.init(keyPath: \String.count, ascending: ascending)
    }

    /// Makes a descriptor; without a comparator, texts stand in their own order.
    init(key: String?, ascending: Bool, textOrder: TextOrder, comparator: Comparator?) {
        keyName = key
        self.textOrder = textOrder
        order = comparator
        super.init(keyPath: \String.count, ascending: ascending)
    }

    /// Compares the values of the key. Missing ones come first.
    open override func compare(_ object1: Any, to object2: Any) -> ComparisonResult {
        let result = comparator(value(of: object1), value(of: object2))
        return ascending ? result : result.reversed
    }

    /// How values are compared, before the direction counts.
    open override var comparator: Comparator {
        order ?? { [textOrder] in Self.compare(PredicateValue($0), PredicateValue($1), textOrder) }
    }

    /// The other direction.
    open override var reversedSortDescriptor: Any {
        KeySortDescriptor(key: keyName, ascending: !ascending, textOrder: textOrder, comparator: order)
    }

    /// Whether the other has the same key and direction, and neither a comparator.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? KeySortDescriptor, type(of: other) == type(of: self) else { return false }
        return self === other
            || (keyName == other.keyName && ascending == other.ascending && textOrder == other.textOrder
                && order == nil && other.order == nil)
    }

    /// Goes with ``isEqual(_:)``.
    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(keyName)
        hasher.combine(ascending)
        return hasher.finalize()
    }

    /// As Apple's: `(name, ascending, compare:)`.
    open override var description: String {
        let direction = ascending ? "ascending" : "descending"
        return "(\(keyName ?? "self"), \(direction), \(order == nil ? textOrder.selector.description : "block"))"
    }

    private func value(of object: Any) -> Any {
        guard let keyName else { return object }
        return KeyPathReader.value(at: keyName, in: object) ?? NSNull()
    }

    private static func compare(
        _ a: PredicateValue, _ b: PredicateValue, _ textOrder: TextOrder
    ) -> ComparisonResult {
        switch (a, b) {
        case (.string(let a), .string(let b)): textOrder.compare(a, b)
        case (.null, .null): .orderedSame
        case (.null, _): .orderedAscending
        case (_, .null): .orderedDescending
        default: PredicateOrder.compare(a, b) ?? .orderedSame
        }
    }
}

/// Lets initializers of `NSSortDescriptor` return an object of a subclass; see ``PredicateFormatInitializable``.
public protocol SortDescriptorInitializable {}

extension NSSortDescriptor: SortDescriptorInitializable {}

extension SortDescriptorInitializable where Self: NSSortDescriptor {
    // Not in an extension of the class: the compiler stops in other modules when it meets a subclass, as it cannot tell
    // this property from the one that Foundation declares and makes unavailable.
    /// The key by which the descriptor sorts. Of one made with a key path of Swift's, the names of its properties, as
    /// far as they are stored ones.
    public var key: String? {
        if let own = self as? KeySortDescriptor { return own.keyName }
        return PropertyNames.path(of: keyPath)
    }

    /// The method that compares the values; nil if a block does.
    public var selector: Selector? {
        guard let own = self as? KeySortDescriptor else { return TextOrder.plain.selector }
        return own.hasComparator ? nil : own.textOrder.selector
    }

    /// Sorts by the values of a key; nil is the object itself.
    public init(key: String?, ascending: Bool) {
        self.init(key, ascending, .plain, nil)
    }

    /// Sorts by the values of a key, and texts by a method of `NSString`: `compare:`, `caseInsensitiveCompare:`,
    /// `localizedCompare:`, `localizedCaseInsensitiveCompare:` or `localizedStandardCompare:`. Another one stops the
    /// program.
    public init(key: String?, ascending: Bool, selector: Selector?) {
        guard let order = selector.map(TextOrder.init) ?? .plain else {
            preconditionFailure("a sort descriptor cannot compare by '\(selector?.description ?? "")'")
        }
        self.init(key, ascending, order, nil)
    }

    /// Sorts by the values of a key, which the comparator gets; missing ones are `NSNull`.
    public init(key: String?, ascending: Bool, comparator cmptr: @escaping Comparator) {
        self.init(key, ascending, .plain, cmptr)
    }

    private init(_ key: String?, _ ascending: Bool, _ textOrder: TextOrder, _ comparator: Comparator?) {
        let descriptor = KeySortDescriptor(
            key: key, ascending: ascending, textOrder: textOrder, comparator: comparator)
        guard let descriptor = descriptor as? Self else { fatalError("\(Self.self) has an initializer of its own") }
        self = descriptor
    }
}
