import Foundation

/// Keeps the results of a fetch up to date while their context changes, in sections, and reports each change.
///
/// It belongs to the queue of the context.
///
/// With a cache, the sections are kept in a file, so that the values of all objects need not be read while the fetch and
/// the files of the stores stay the same. Together with `fetchBatchSize` only the objects in view are then read. A cache of
/// another fetch is replaced, where Apple's class raises an exception.
open class NSFetchedResultsController<ResultType>: NSObject {
    fileprivate let results: ResultsObserver
    private let ownRequest: NSFetchRequest<ResultType>
    /// The controller that delegates get.
    private var erased: NSFetchedResultsController<any NSFetchRequestResult>?

    /// Makes a controller, which has no objects before ``performFetch()``.
    /// - Parameters:
    ///   - fetchRequest: A request for managed objects with sort descriptors. An empty array leaves objects in the order in
    ///     which the store finds them. The controller may change the request.
    ///   - sectionNameKeyPath: The key path of the names of sections, which must be in the order of the first sort
    ///     descriptor; nil for one section with all objects.
    ///   - name: The name of a cache in the user's folder for caches; nil for none.
    public init(
        fetchRequest: NSFetchRequest<ResultType>, managedObjectContext context: NSManagedObjectContext,
        sectionNameKeyPath: String?, cacheName name: String?
    ) {
        precondition(fetchRequest.sortDescriptors != nil, "the request of a controller needs sort descriptors")
        precondition(
            fetchRequest.resultType == .managedObjectResultType, "the request of a controller is for managed objects")
        ownRequest = fetchRequest
        cacheName = name
        results = ResultsObserver(context, sectionNameKeyPath)
        super.init()
    }

    private init(_ request: NSFetchRequest<ResultType>, _ results: ResultsObserver, _ cacheName: String?) {
        ownRequest = request
        self.results = results
        self.cacheName = cacheName
        super.init()
    }

    /// The request.
    open var fetchRequest: NSFetchRequest<ResultType> { ownRequest }

    /// The context of the objects.
    open var managedObjectContext: NSManagedObjectContext { results.context }

    /// The key path of the names of sections.
    open var sectionNameKeyPath: String? { results.keyPath }

    /// The name that the controller was made with.
    public let cacheName: String?

    /// The receiver of changes. Without one the results are those of the last ``performFetch()``.
    ///
    /// It gets a controller of the same results that is not this object, as the type of results of a class cannot be
    /// left out in Swift.
    open weak var delegate: (any NSFetchedResultsControllerDelegate)? {
        get { results.delegate }
        set {
            results.delegate = newValue
            guard newValue != nil else { return results.report = nil }
            let erased = NSFetchedResultsController<any NSFetchRequestResult>(ownRequest.erased, results, cacheName)
            self.erased = erased
            results.report = { [weak erased] in erased?.report($0) }
        }
    }

    /// Fetches the objects.
    open func performFetch() throws { try results.fetch(ownRequest.settings, cacheName) }

    /// The objects in order; nil before ``performFetch()``.
    open var fetchedObjects: [ResultType]? {
        results.current?.objects.compactMap { $0 as? ResultType }
    }

    /// Returns the object at a section and an item in it. The path must be valid.
    open func object(at indexPath: IndexPath) -> ResultType {
        guard let object = results.current?[indexPath] as? ResultType else {
            preconditionFailure("the results have no object at \(indexPath)")
        }
        return object
    }

    /// Returns the section and item of an object; nil if it is not among the results.
    open func indexPath(forObject object: ResultType) -> IndexPath? {
        (object as? NSManagedObject).flatMap { results.current?.paths[$0] }
    }

    /// The sections; nil before ``performFetch()``.
    open var sections: [any NSFetchedResultsSectionInfo]? {
        results.current?.sections.map { ResultSectionInfo($0, title: title(of: $0.name)) }
    }

    /// The first letters of the names of sections, in capitals.
    open var sectionIndexTitles: [String] {
        results.current?.sections.compactMap { title(of: $0.name) } ?? []
    }

    /// Returns the title of a section in an index beside the results.
    open func sectionIndexTitle(forSectionName sectionName: String) -> String? { title(of: sectionName) }

    /// Returns the number of the section that an index title leads to.
    open func section(forSectionIndexTitle title: String, at sectionIndex: Int) -> Int {
        results.current?.sections.firstIndex { self.title(of: $0.name) == title } ?? sectionIndex
    }

    /// Deletes a cache; all caches of the program for nil.
    public class func deleteCache(withName name: String?) { SectionCache.delete(name) }

    private func title(of name: String) -> String? {
        guard sectionNameKeyPath != nil else { return nil }
        if let delegate = results.delegate, let erased = erased ?? self as? ErasedController {
            return delegate.controller(erased, sectionIndexTitleForSectionName: name)
        }
        return name.first.map { String($0).uppercased() }
    }
}

private typealias ErasedController = NSFetchedResultsController<any NSFetchRequestResult>

extension NSFetchedResultsController where ResultType == any NSFetchRequestResult {
    /// Reports changes to a delegate.
    fileprivate func report(_ changes: ResultChanges) {
        guard let delegate = results.delegate else { return }
        delegate.controllerWillChangeContent(self)
        for change in changes.sections {
            delegate.controller(
                self, didChange: ResultSectionInfo(change.section, title: nil), atSectionIndex: change.index,
                for: change.type)
        }
        for change in changes.objects {
            delegate.controller(
                self, didChange: change.object, at: change.from, for: change.type, newIndexPath: change.to)
        }
        delegate.controllerDidChangeContent(self)
        let snapshot = NSDiffableDataSourceSnapshotReference(sections ?? [])
        delegate.controller(self, didChangeContentWith: snapshot)
        if sectionNameKeyPath == nil { delegate.controller(self, didChangeContentWith: changes.difference) }
    }
}
