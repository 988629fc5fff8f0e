import Foundation
import StratusCompatibility

extension FetchPlan {
    /// Makes the plan for a fetch request.
    init(_ settings: FetchSettings, _ entity: NSEntityDescription, _ result: Result) throws {
        self.init(entity: entity.name ?? "")
        self.result = result
        includesSubentities = settings.includesSubentities
        limit = settings.limit
        offset = settings.offset
        predicate = settings.predicate?.predicateTree.replacingObjects { ($0 as? NSManagedObject)?.objectID ?? $0 }
        // The number of results does not depend on their order.
        guard case .count = result else {
            sortKeys = try settings.sortDescriptors?.map { try SortKey($0, entity) } ?? []
            return
        }
    }
}

extension FetchPlan.SortKey {
    init(_ descriptor: NSSortDescriptor, _ entity: NSEntityDescription) throws {
        guard let key = descriptor.key ?? KeyPathProbe.path(of: descriptor.keyPath, entity) else {
            throw CocoaError.make(.coreData, "the key path of a sort descriptor has no name: \(descriptor)")
        }
        let own = descriptor as? KeySortDescriptor
        guard own?.hasComparator != true else {
            throw CocoaError.make(.coreData, "a sort descriptor with a comparator has no SQL translation: '\(key)'")
        }
        self.init(keyPath: key, isAscending: descriptor.ascending, order: own?.textOrder ?? .plain)
    }
}
