import Foundation
import StratusCompatibility
import StratusWorkers

/// Finds files in the containers of iCloud, and then reports changes.
///
/// Notifications come, and results change, on ``operationQueue``, else on the main queue.
open class NSMetadataQuery: NSObject, @unchecked Sendable {
    // `@unchecked Sendable`: what programs set and read is under a lock. What belongs to the gathering is only touched
    // on `worker`.

    struct State: @unchecked Sendable {
        var predicate: NSPredicate?
        var scopes: [Any] = []
        var sortDescriptors: [NSSortDescriptor] = []
        var valueListAttributes: [String] = []
        var groupingAttributes: [String]?
        var interval: TimeInterval = 1
        var queue: OperationQueue?
        var isStarted = false
        var isGathering = false
        var isStopped = false
        var disabled = 0
        var results: [NSMetadataItem] = []
        /// The same by their paths.
        var byPath: [String: NSMetadataItem] = [:]
        /// Counts starts, so that what an earlier one still delivers is dropped.
        var run = 0
    }

    let state = Lock(State())
    let worker = DispatchQueue(label: "org.stratus.metadata-query")
    var watch: DirectoryWatch?
    var isScanScheduled = false
    /// Whether an update is on its way to the program. The next scan waits for it, because it compares with the
    /// results.
    var isDelivering = false
    var needsScan = false

    public override init() { super.init() }

    deinit { watch?.stop() }

    private func set(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

    /// The condition that items have to meet. A query does not start without it.
    open var predicate: NSPredicate? {
        get { state.withLock { $0 }.predicate }
        set { set { $0.predicate = newValue } }
    }

    /// The parts of the containers that are searched: `NSMetadataQueryUbiquitousDocumentsScope`,
    /// `NSMetadataQueryUbiquitousDataScope`, or both.
    open var searchScopes: [Any] {
        get { state.withLock { $0 }.scopes }
        set { set { $0.scopes = newValue } }
    }

    /// The order of the results.
    open var sortDescriptors: [NSSortDescriptor] {
        get { state.withLock { $0 }.sortDescriptors }
        set { set { $0.sortDescriptors = newValue } }
    }

    /// The attributes of ``valueLists``.
    open var valueListAttributes: [String] {
        get { state.withLock { $0 }.valueListAttributes }
        set { set { $0.valueListAttributes = newValue } }
    }

    /// The attributes of ``groupedResults``.
    open var groupingAttributes: [String]? {
        get { state.withLock { $0 }.groupingAttributes }
        set { set { $0.groupingAttributes = newValue } }
    }

    /// Seconds in which changes are gathered before a notification reports them.
    open var notificationBatchingInterval: TimeInterval {
        get { state.withLock { $0 }.interval }
        set { set { $0.interval = max(0, newValue) } }
    }

    /// The queue on which notifications are posted; nil for the main queue.
    open var operationQueue: OperationQueue? {
        get { state.withLock { $0 }.queue }
        set { set { $0.queue = newValue } }
    }

    open var isStarted: Bool { state.withLock { $0.isStarted } }
    /// Whether the first results are still being looked for.
    open var isGathering: Bool { state.withLock { $0.isGathering } }
    open var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Begins to search.
    /// - Returns: false without a predicate, with other scopes than those of containers, and if it has begun already.
    @discardableResult
    open func start() -> Bool {
        let run: Int? = state.withLock { state in
            let scopes = state.scopes.map { $0 as? String }
            let known = [
                NSMetadataQueryUbiquitousDocumentsScope, NSMetadataQueryUbiquitousDataScope,
                NSMetadataQueryAccessibleUbiquitousExternalDocumentsScope,
            ]
            guard state.predicate != nil, !scopes.isEmpty, scopes.allSatisfy({ $0.map(known.contains) == true }),
                !state.isStarted
            else { return nil }
            state.isStarted = true
            state.isStopped = false
            state.isGathering = true
            state.results = []
            state.byPath = [:]
            state.run += 1
            return state.run
        }
        guard let run else { return false }
        deliver(run) { query in query.post(.NSMetadataQueryDidStartGathering) }
        worker.async { [self] in
            UbiquityContainer.standard().map { DriveHost.shared.need($0) }
            gather(run)
        }
        return true
    }

    /// Ends the search. The results stay as they are.
    open func stop() {
        state.withLock { state in
            guard state.isStarted else { return }
            state.isStarted = false
            state.isGathering = false
            state.isStopped = true
            state.run += 1
        }
        worker.async { [self] in
            watch?.stop()
            watch = nil
        }
    }

    /// Keeps the results as they are until ``enableUpdates()``. Calls nest.
    open func disableUpdates() { set { $0.disabled += 1 } }

    /// Allows the results to change again, and takes over the changes that happened meanwhile.
    open func enableUpdates() {
        let run: Int? = state.withLock { state in
            guard state.disabled > 0 else { return nil }
            state.disabled -= 1
            return state.disabled == 0 && state.isStarted ? state.run : nil
        }
        if let run { worker.async { [self] in rescan(run) } }
    }
}

extension NSMetadataQuery {
    /// The number of results.
    public var resultCount: Int { state.withLock { $0.results.count } }
    /// The results: `NSMetadataItem` objects.
    public var results: [Any] { items }

    private var items: [NSMetadataItem] { state.withLock { $0.results } }

    /// Returns a result by its place.
    public func result(at index: Int) -> Any { items[index] }

    /// The index of a result; `NSNotFound` for another object.
    public func index(ofResult result: Any) -> Int {
        items.firstIndex { $0 === result as AnyObject } ?? NSNotFound
    }

    /// Calls a block with each result in order, until it says to stop.
    public func enumerateResults(_ block: (Any, Int, UnsafeMutablePointer<ObjCBool>) -> Void) {
        enumerateResults(options: [], using: block)
    }

    /// Calls a block with each result in order, or in reverse, until it says to stop.
    public func enumerateResults(
        options: NSEnumerationOptions, using block: (Any, Int, UnsafeMutablePointer<ObjCBool>) -> Void
    ) {
        var stop: ObjCBool = false
        let all = Array(items.enumerated())
        for (index, item) in options.contains(.reverse) ? all.reversed() : all {
            block(item, index, &stop)
            if stop.boolValue { return }
        }
    }

    /// Returns the value of an attribute of a result.
    public func value(ofAttribute attributeName: String, forResultAt index: Int) -> Any? {
        items[index].value(forAttribute: attributeName)
    }

    /// The values of the attributes in ``valueListAttributes``, and the number of results with each.
    public var valueLists: [String: [NSMetadataQueryAttributeValueTuple]] {
        let items = items
        return Dictionary(
            uniqueKeysWithValues: Set(valueListAttributes).map { attribute in
                let groups = MetadataGroups(items, by: attribute)
                return (
                    attribute,
                    groups.all.map { NSMetadataQueryAttributeValueTuple(attribute, $0.value, $0.items.count) }
                )
            })
    }

    /// The results in groups of equal values of the first of ``groupingAttributes``, and those in groups of the next.
    public var groupedResults: [NSMetadataQueryResultGroup] {
        NSMetadataQueryResultGroup.groups(of: items, by: (groupingAttributes ?? [])[...])
    }
}

/// A value of an attribute, and how many results have it.
open class NSMetadataQueryAttributeValueTuple: NSObject {
    /// The name of the attribute.
    public let attribute: String
    /// The value of the attribute.
    public let value: Any?
    /// The number of results with the value.
    public let count: Int

    init(_ attribute: String, _ value: Any?, _ count: Int) {
        (self.attribute, self.value, self.count) = (attribute, value, count)
    }
}

/// Results with an equal value of an attribute.
open class NSMetadataQueryResultGroup: NSObject {
    /// The name of the attribute.
    public let attribute: String
    /// The value of the attribute.
    public let value: Any
    /// The results: `NSMetadataItem` objects.
    public let results: [Any]
    /// The groups by the next attribute; nil if it was the last.
    public let subgroups: [NSMetadataQueryResultGroup]?
    /// The number of results.
    public var resultCount: Int { results.count }

    private init(
        _ attribute: String, _ value: Any, _ results: [NSMetadataItem], _ subgroups: [NSMetadataQueryResultGroup]?
    ) {
        (self.attribute, self.value, self.results, self.subgroups) = (attribute, value, results, subgroups)
    }

    /// Returns a result by its place.
    public func result(at index: Int) -> Any { results[index] }

    static func groups(of items: [NSMetadataItem], by attributes: ArraySlice<String>) -> [NSMetadataQueryResultGroup] {
        guard let attribute = attributes.first else { return [] }
        let rest = attributes.dropFirst()
        return MetadataGroups(items, by: attribute).all.map { group in
            NSMetadataQueryResultGroup(
                attribute, group.value ?? NSNull(), group.items, rest.isEmpty ? nil : groups(of: group.items, by: rest))
        }
    }
}

/// Items by the value of an attribute, in the order in which the values occur first.
struct MetadataGroups {
    private(set) var all: [(value: Any?, items: [NSMetadataItem])] = []

    init(_ items: [NSMetadataItem], by attribute: String) {
        var places: [NSObject: Int] = [:]
        for item in items {
            let value = item.value(forAttribute: attribute)
            let key = value as? NSObject ?? NSNull()
            if let place = places[key] {
                all[place].items.append(item)
            } else {
                places[key] = all.count
                all.append((value, [item]))
            }
        }
    }
}
