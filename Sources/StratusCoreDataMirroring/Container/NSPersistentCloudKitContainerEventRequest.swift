import Foundation
import StratusCoreData

/// A request for the events of the stores of a coordinator.
open class NSPersistentCloudKitContainerEventRequest: NSPersistentStoreRequest {
    private enum Position {
        case date(Date)
        case event(UUID?)
        case fetch(NSFetchRequest<any NSFetchRequestResult>)
    }

    /// The kind of the result. Events by default.
    open var resultType = NSPersistentCloudKitContainerEventResult.ResultType.events
    private let position: Position

    private init(_ position: Position) {
        self.position = position
        super.init()
    }

    /// Returns a request for the events that began after a date.
    open class func fetchEvents(after date: Date) -> NSPersistentCloudKitContainerEventRequest {
        NSPersistentCloudKitContainerEventRequest(.date(date))
    }

    /// Returns a request for the events that began after another one; for all if it is nil.
    open class func fetchEvents(
        after event: NSPersistentCloudKitContainer.Event?
    ) -> NSPersistentCloudKitContainerEventRequest {
        NSPersistentCloudKitContainerEventRequest(.event(event?.identifier))
    }

    /// Returns a request for the events that a fetch request of ``fetchForEvents()`` describes.
    open class func fetchEvents(
        matchingFetch fetchRequest: NSFetchRequest<any NSFetchRequestResult>
    ) -> NSPersistentCloudKitContainerEventRequest {
        NSPersistentCloudKitContainerEventRequest(.fetch(fetchRequest))
    }

    /// Returns a new fetch request for events, to be given a predicate, an order and a limit.
    open class func fetchForEvents() -> NSFetchRequest<any NSFetchRequestResult> {
        NSFetchRequest(entityName: "NSPersistentCloudKitContainerEvent")
    }

    /// Returns a copy that can be changed without changing this request.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSPersistentCloudKitContainerEventRequest(position)
        (copy.resultType, copy.affectedStores) = (resultType, affectedStores)
        return copy
    }

    private func select(_ events: [NSPersistentCloudKitContainer.Event]) -> [NSPersistentCloudKitContainer.Event] {
        switch position {
        case .date(let date): return events.filter { $0.startDate > date }
        case .event(let identifier):
            guard let index = events.firstIndex(where: { $0.identifier == identifier }) else { return events }
            return Array(events[(index + 1)...])
        case .fetch(let fetch):
            var found = fetch.predicate.map { predicate in events.filter { predicate.evaluate(with: $0) } } ?? events
            if let order = fetch.sortDescriptors, !order.isEmpty {
                found = NSArray(array: found).sortedArray(using: order).compactMap {
                    $0 as? NSPersistentCloudKitContainer.Event
                }
            }
            let rest = found.dropFirst(max(0, fetch.fetchOffset))
            return Array(fetch.fetchLimit > 0 ? rest.prefix(fetch.fetchLimit) : rest)
        }
    }
}

extension NSPersistentCloudKitContainerEventRequest: CoordinatorRequest {
    package func answer(in coordinator: NSPersistentStoreCoordinator) throws -> NSPersistentStoreResult {
        var events: [NSPersistentCloudKitContainer.Event] = []
        for store in coordinator.persistentStores
        where affectedStores?.contains(where: { $0 === store }) ?? true
            && store.options?[NSPersistentStoreDescription.cloudKitOptionsKey] != nil
        {
            let rows = try store.reading { transaction in
                try MirrorSchema.exists(in: transaction) ? try MirrorTables(transaction: transaction).events() : []
            }
            events += rows.compactMap { NSPersistentCloudKitContainer.Event($0, storeIdentifier: store.identifier) }
        }
        let found = select(events.sorted { $0.startDate < $1.startDate })
        return NSPersistentCloudKitContainerEventResult(found, resultType)
    }
}

/// The answer to a request for events.
open class NSPersistentCloudKitContainerEventResult: NSPersistentStoreResult {
    /// The kinds of results, with Apple's numbers.
    public enum ResultType: Int, Sendable {
        /// An array of events.
        case events = 0
        /// The number of events, in an array.
        case countEvents = 1
    }

    /// An array of events, or of their number.
    public let result: Any?

    /// The kind of ``result``.
    public let resultType: ResultType

    init(_ events: [NSPersistentCloudKitContainer.Event], _ resultType: ResultType) {
        self.resultType = resultType
        result = resultType == .events ? events : [events.count]
    }
}
