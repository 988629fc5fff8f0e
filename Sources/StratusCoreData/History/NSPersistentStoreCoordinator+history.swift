import Foundation
import StratusCompatibility

extension NSPersistentStoreCoordinator {
    /// Returns the position after the last save to stores; nil if none of them keeps a history.
    /// - Parameter stores: The stores; nil for all of the coordinator.
    public func currentPersistentHistoryToken(fromStores stores: [Any]?) -> NSPersistentHistoryToken? {
        let stores = stores?.compactMap { $0 as? NSPersistentStore } ?? persistentStores
        var positions: [String: Int64] = [:]
        for store in stores where store.rows.recordsHistory {
            if let last = try? store.rows.lastTransaction() { positions[store.rows.identifier] = last }
        }
        return positions.isEmpty ? nil : NSPersistentHistoryToken(positions)
    }

    /// Answers a request for the history, or deletes a part of it.
    func execute(_ request: NSPersistentHistoryChangeRequest) throws -> NSPersistentHistoryResult {
        let stores = persistentStores.filter { store in
            store.rows.recordsHistory && request.affectedStores?.contains { $0 === store } ?? true
        }
        guard !stores.isEmpty else {
            throw CocoaError.make(
                .persistentStoreUnsupportedRequestType,
                "no store keeps a history; open it with NSPersistentHistoryTrackingKey")
        }
        return try CoreDataError.inCocoa {
            if request.deletes {
                for store in stores { try delete(request, from: store) }
                return NSPersistentHistoryResult(true, .statusOnly)
            }
            let query = HistoryQuery(request)
            var found: [(NSPersistentStore, StoredTransaction)] = []
            for store in stores { found += try transactions(query, in: store).map { (store, $0) } }
            found.sort { $0.1.date < $1.1.date }
            return query.result(found.map { transaction($0.1, in: $0.0) })
        }
    }

    private func delete(_ request: NSPersistentHistoryChangeRequest, from store: NSPersistentStore) throws {
        switch request.position {
        case .date(let date): try store.rows.deleteHistory(before: date)
        case .token(let token):
            if let number = token?.positions[store.rows.identifier] { try store.rows.deleteHistory(before: number) }
        case .fetch: break
        }
    }

    private func transactions(_ query: HistoryQuery, in store: NSPersistentStore) throws -> [StoredTransaction] {
        let number = query.token?.positions[store.rows.identifier]
        guard let found = try store.rows.transactions(after: number, includesChanges: query.needsChanges) else {
            throw CocoaError.make(
                .persistentHistoryTokenExpired, "a part of the history after the position has been deleted")
        }
        guard let date = query.date else { return found }
        return found.filter { $0.date > date }
    }

    private func transaction(_ stored: StoredTransaction, in store: NSPersistentStore) -> NSPersistentHistoryTransaction
    {
        let transaction = NSPersistentHistoryTransaction(stored, storeID: store.rows.identifier)
        return transaction.take(
            stored.changes.compactMap { change in
                id(of: change.key, in: store).map {
                    NSPersistentHistoryChange(change, id: $0, transaction: transaction)
                }
            })
    }
}

/// A request for history: the position, and the conditions on transactions and changes. The conditions and orders of
/// fetch requests are applied in memory.
private struct HistoryQuery {
    let resultType: NSPersistentHistoryResultType
    var token: NSPersistentHistoryToken?
    var date: Date?
    private let fetch: NSFetchRequest<any NSFetchRequestResult>?

    init(_ request: NSPersistentHistoryChangeRequest) {
        resultType = request.resultType
        fetch = request.fetchRequest
        switch request.position {
        case .date(let date): self.date = date
        case .token(let token): self.token = token
        case .fetch: break
        }
    }

    private var isOfChanges: Bool { fetch?.entity === HistoryEntities.shared.change }

    var needsChanges: Bool { resultType != .transactionsOnly || isOfChanges }

    func result(_ transactions: [NSPersistentHistoryTransaction]) -> NSPersistentHistoryResult {
        let found = isOfChanges ? transactions.compactMap(selectingChanges) : limited(matching(transactions))
        let changes = found.flatMap { $0.changes ?? [] }
        let result: Any =
            switch resultType {
            case .statusOnly: true
            case .objectIDs: changes.map(\.changedObjectID)
            case .count: changes.count
            case .transactionsOnly: found.map(\.withoutChanges)
            case .changesOnly: isOfChanges ? limited(sorted(changes)) : changes
            case .transactionsAndChanges: found
            }
        return NSPersistentHistoryResult(result, resultType)
    }

    /// A transaction with those of its changes that the request describes; nil if it has none.
    private func selectingChanges(_ transaction: NSPersistentHistoryTransaction) -> NSPersistentHistoryTransaction? {
        guard let predicate = fetch?.predicate else { return transaction }
        let changes = (transaction.changes ?? []).filter { predicate.evaluate(with: $0) }
        return changes.isEmpty ? nil : transaction.take(changes)
    }

    private func matching(_ transactions: [NSPersistentHistoryTransaction]) -> [NSPersistentHistoryTransaction] {
        guard let predicate = fetch?.predicate else { return sorted(transactions) }
        return sorted(transactions.filter { predicate.evaluate(with: $0) })
    }

    private func sorted<Item: NSObject>(_ items: [Item]) -> [Item] {
        guard let descriptors = fetch?.sortDescriptors, !descriptors.isEmpty else { return items }
        return NSArray(array: items).sortedArray(using: descriptors).compactMap { $0 as? Item }
    }

    private func limited<Item>(_ items: [Item]) -> [Item] {
        guard let fetch else { return items }
        let rest = items.dropFirst(max(0, fetch.fetchOffset))
        return fetch.fetchLimit > 0 ? Array(rest.prefix(fetch.fetchLimit)) : Array(rest)
    }
}

extension CocoaError.Code {
    /// A store cannot answer a request.
    public static let persistentStoreUnsupportedRequestType = CocoaError.Code(rawValue: 134_091)
    /// A part of the history after a position has been deleted.
    public static let persistentHistoryTokenExpired = CocoaError.Code(rawValue: 134_301)
}
