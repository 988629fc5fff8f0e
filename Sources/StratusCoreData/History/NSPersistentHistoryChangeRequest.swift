import Foundation

/// The kinds of results of a history request, with Apple's numbers.
public enum NSPersistentHistoryResultType: Int, Sendable {
    /// Whether it succeeded.
    case statusOnly = 0
    /// The IDs of the changed objects.
    case objectIDs = 1
    /// The number of changes.
    case count = 2
    /// Transactions without their changes.
    case transactionsOnly = 3
    /// Changes without their transactions.
    case changesOnly = 4
    /// Transactions with their changes.
    case transactionsAndChanges = 5
}

/// A request for the history of the stores of a coordinator, or to delete a part of it.
open class NSPersistentHistoryChangeRequest: NSPersistentStoreRequest {
    /// The position that a request refers to.
    enum Position {
        case date(Date)
        case token(NSPersistentHistoryToken?)
        /// A request for transactions or changes, with a predicate and an order.
        case fetch
    }

    /// The kind of the result. Transactions with their changes by default.
    open var resultType = NSPersistentHistoryResultType.transactionsAndChanges

    /// The position that the request begins at or deletes up to; nil if it is not a token.
    open var token: NSPersistentHistoryToken? { if case .token(let token) = position { token } else { nil } }

    /// A request for transactions or for changes, with a predicate and an order.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>?

    let position: Position
    let deletes: Bool

    init(_ position: Position, deletes: Bool) {
        self.position = position
        self.deletes = deletes
        super.init()
        if deletes { resultType = .statusOnly }
    }

    /// Returns a request for what was saved after a date.
    open class func fetchHistory(after date: Date) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.date(date), deletes: false)
    }

    /// Returns a request for what was saved after a position; for everything if it is nil.
    open class func fetchHistory(after token: NSPersistentHistoryToken?) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.token(token), deletes: false)
    }

    /// Returns a request for what was saved after a transaction; for everything if it is nil.
    open class func fetchHistory(after transaction: NSPersistentHistoryTransaction?) -> NSPersistentHistoryChangeRequest
    {
        NSPersistentHistoryChangeRequest(.token(transaction?.token), deletes: false)
    }

    /// Returns a request for the transactions or changes that a fetch request describes.
    open class func fetchHistory(withFetch fetchRequest: NSFetchRequest<any NSFetchRequestResult>)
        -> NSPersistentHistoryChangeRequest
    {
        let request = NSPersistentHistoryChangeRequest(.fetch, deletes: false)
        request.fetchRequest = fetchRequest
        return request
    }

    /// Returns a request that deletes what was saved before a date.
    open class func deleteHistory(before date: Date) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.date(date), deletes: true)
    }

    /// Returns a request that deletes what was saved before a position. With nil it deletes nothing.
    open class func deleteHistory(before token: NSPersistentHistoryToken?) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.token(token), deletes: true)
    }

    /// Returns a request that deletes what was saved before a transaction. With nil it deletes nothing.
    open class func deleteHistory(before transaction: NSPersistentHistoryTransaction?)
        -> NSPersistentHistoryChangeRequest
    {
        NSPersistentHistoryChangeRequest(.token(transaction?.token), deletes: true)
    }

    /// Returns a copy that can be changed without changing this request.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSPersistentHistoryChangeRequest(position, deletes: deletes)
        copy.resultType = resultType
        copy.fetchRequest = fetchRequest
        return copy
    }
}

/// The answer to a history request.
open class NSPersistentHistoryResult: NSPersistentStoreResult {
    /// A `Bool`, an `Int`, or an array of IDs, transactions or changes, as ``resultType`` says.
    public let result: Any?

    /// The kind of ``result``.
    public let resultType: NSPersistentHistoryResultType

    init(_ result: Any?, _ resultType: NSPersistentHistoryResultType) {
        self.result = result
        self.resultType = resultType
        super.init()
    }
}
