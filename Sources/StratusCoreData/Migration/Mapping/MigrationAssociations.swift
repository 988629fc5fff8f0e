import Foundation

/// The objects of the source and of the destination that belong together, for each mapping.
struct MigrationAssociations {
    private struct Pairs {
        var order: [(source: NSManagedObject, destination: NSManagedObject)] = []
        var bySource: [ObjectIdentifier: [NSManagedObject]] = [:]
        var byDestination: [ObjectIdentifier: [NSManagedObject]] = [:]
    }

    private var pairs: [String: Pairs] = [:]

    mutating func add(_ source: NSManagedObject, _ destination: NSManagedObject, _ mapping: String) {
        pairs[mapping, default: Pairs()].order.append((source, destination))
        pairs[mapping]?.bySource[ObjectIdentifier(source), default: []].append(destination)
        pairs[mapping]?.byDestination[ObjectIdentifier(destination), default: []].append(source)
    }

    func destinations(_ mapping: String, of sources: [NSManagedObject]?) -> [NSManagedObject] {
        guard let pairs = pairs[mapping] else { return [] }
        guard let sources else { return Self.distinct(pairs.order.map(\.destination)) }
        return Self.distinct(sources.flatMap { pairs.bySource[ObjectIdentifier($0)] ?? [] })
    }

    func sources(_ mapping: String, of destinations: [NSManagedObject]?) -> [NSManagedObject] {
        guard let pairs = pairs[mapping] else { return [] }
        guard let destinations else { return Self.distinct(pairs.order.map(\.source)) }
        return Self.distinct(destinations.flatMap { pairs.byDestination[ObjectIdentifier($0)] ?? [] })
    }

    /// Returns the objects that any mapping made for objects of the source.
    func destinations(of sources: [NSManagedObject]) -> [NSManagedObject] {
        Self.distinct(
            sources.flatMap { source in pairs.values.flatMap { $0.bySource[ObjectIdentifier(source)] ?? [] } })
    }

    private static func distinct(_ objects: [NSManagedObject]) -> [NSManagedObject] {
        var known: Set<ObjectIdentifier> = []
        return objects.filter { known.insert(ObjectIdentifier($0)).inserted }
    }
}
