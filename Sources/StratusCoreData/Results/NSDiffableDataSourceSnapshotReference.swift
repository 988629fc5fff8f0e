import Foundation

/// The names of the sections of results and the IDs of the objects in them, at one moment. On Apple's systems the class
/// is a part of the frameworks for interfaces, which lets programs change snapshots; this one is only read.
open class NSDiffableDataSourceSnapshotReference: NSObject {
    private let sections: [(name: String, items: [NSManagedObjectID])]

    init(_ sections: [any NSFetchedResultsSectionInfo]) {
        self.sections = sections.map { section in
            (section.name, (section.objects ?? []).compactMap { ($0 as? NSManagedObject)?.objectID })
        }
        super.init()
    }

    /// The names of the sections in order.
    open var sectionIdentifiers: [Any] { sections.map(\.name) }

    /// The IDs of all objects in order.
    open var itemIdentifiers: [Any] { sections.flatMap(\.items) }

    /// The number of sections.
    open var numberOfSections: Int { sections.count }

    /// The number of objects.
    open var numberOfItems: Int { sections.reduce(0) { $0 + $1.items.count } }

    /// Returns the IDs of the objects in a section; none if the results have no such section.
    open func itemIdentifiers(inSectionWithIdentifier identifier: Any) -> [Any] {
        sections.first { $0.name == identifier as? String }?.items ?? []
    }

    /// Returns the number of a section; `NSNotFound` if the results have no such section.
    open func index(ofSectionIdentifier identifier: Any) -> Int {
        sections.firstIndex { $0.name == identifier as? String } ?? NSNotFound
    }
}
