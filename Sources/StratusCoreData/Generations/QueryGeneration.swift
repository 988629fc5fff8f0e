import Foundation
import Synchronization

/// The stores of a coordinator as they were at one moment. They stay so as long as a context or token refers to them.
final class QueryGeneration: Sendable {
    /// The generations of a coordinator that exist at the same time. Each keeps a connection for each store, and its log
    /// from being shortened.
    static let limit = 16

    /// Nil for a store that cannot show a former state.
    private let snapshots: Mutex<[ObjectIdentifier: (any RowStore)?]>

    init(_ stores: [NSPersistentStore]) throws {
        var made: [ObjectIdentifier: (any RowStore)?] = [:]
        for store in stores { made[ObjectIdentifier(store)] = .some(try store.rows.snapshot()) }
        snapshots = Mutex(made)
    }

    deinit { expire() }

    /// Releases the former states. Later reads fail.
    func expire() {
        let closed = snapshots.withLock { snapshots in
            defer { snapshots = [:] }
            return snapshots.values.compactMap { $0 }
        }
        for rows in closed { rows.close() }
    }

    /// Releases the former state of a store.
    func forget(_ store: NSPersistentStore) {
        snapshots.withLock { $0.removeValue(forKey: ObjectIdentifier(store)) }??.close()
    }

    /// Returns the rows of a store. Throws if the generation has expired. Stores that were added later are not part of it.
    func rows(of store: NSPersistentStore) throws -> any RowStore {
        let known = snapshots.withLock { $0[ObjectIdentifier(store)] }
        guard let known else {
            throw CocoaError.make(.coreData, "the query generation does not exist any more, or is without the store")
        }
        return known ?? store.rows
    }
}

/// The generations of a coordinator.
struct QueryGenerations {
    private struct Reference {
        weak var generation: QueryGeneration?
    }

    private var references: [Reference] = []

    /// Adds a generation. The oldest one expires if there are too many.
    mutating func add(_ generation: QueryGeneration) {
        references.removeAll { $0.generation == nil }
        if references.count >= QueryGeneration.limit { references.removeFirst().generation?.expire() }
        references.append(Reference(generation: generation))
    }

    /// Releases the former states of a store that is closed.
    func forget(_ store: NSPersistentStore) {
        for reference in references { reference.generation?.forget(store) }
    }
}
