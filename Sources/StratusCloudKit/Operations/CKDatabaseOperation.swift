import Foundation

/// An operation on a database.
///
/// `@unchecked Sendable`: for the reason of its superclass.
open class CKDatabaseOperation: CKOperation, @unchecked Sendable {
    /// The database; nil for the private database of the operation's container.
    open var database: CKDatabase?

    /// What carries the operation out.
    var client: DatabaseClient {
        if let database { return database.client(callOptions) }
        return DatabaseClient(connection: containerSource.connection, scope: .private, options: callOptions)
    }
}

extension CKDatabase {
    /// Runs an operation on this database, unless it has another one of its own.
    public func add(_ operation: CKDatabaseOperation) {
        operation.database = operation.database ?? self
        operation.join(source, options)
        guard operation.beginAdding() else { return }
        OperationQueues.shared.addOperation(operation)
    }
}

extension CKContainer {
    /// Runs an operation in this container, unless it has another one of its own.
    public func add(_ operation: CKOperation) {
        operation.join(source, options)
        guard operation.beginAdding() else { return }
        OperationQueues.shared.addOperation(operation)
    }
}

/// Where operations run that are added to a database or container.
enum OperationQueues {
    /// They wait for the network, not for each other.
    static let shared: OperationQueue = {
        let queue = OperationQueue()
        queue.name = "org.stratus.cloudkit.operations"
        return queue
    }()
}
