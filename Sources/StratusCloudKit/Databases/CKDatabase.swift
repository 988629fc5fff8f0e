import Foundation
import StratusCloudModel

/// One of the databases of a container.
///
/// Using one without an account fails with `CKError.notAuthenticated`, except for reading the public database.
public final class CKDatabase: NSObject, Sendable {
    /// Whose database it is.
    public enum Scope: Int, Sendable {
        /// Everybody's.
        case `public` = 1
        /// The current user's.
        case `private` = 2
        /// The view of what others share with the current user.
        case shared = 3
    }

    /// Whose database it is.
    public let databaseScope: Scope
    let source: ContainerSource
    let options: ScopedOptions

    init(_ scope: Scope, _ source: ContainerSource, _ options: ScopedOptions) {
        databaseScope = scope
        self.source = source
        self.options = options
    }

    /// For logs.
    public override var description: String { "<CKDatabase: databaseScope=\(databaseScope)>" }

    /// A client whose calls a person waits for.
    var client: DatabaseClient { client(options.callOptions(.userInitiated)) }

    func client(_ options: CallOptions) -> DatabaseClient {
        DatabaseClient(connection: source.connection, scope: databaseScope.modelScope, options: options)
    }
}

extension CKDatabase.Scope {
    var modelScope: DatabaseScope {
        switch self {
        case .public: .public
        case .private: .private
        case .shared: .shared
        }
    }
}

/// The result of the one item of a request, thrown if it is an error.
func onlyItem<ID, Value>(_ results: ItemResults<ID, Value>) throws -> Value {
    guard let result = results.first?.1 else { throw NSError.cloudKit(.internalError, "There is no answer.") }
    return try result.get()
}

/// Results by name; the same name twice has one result.
func byName<ID: Hashable, Value>(_ results: ItemResults<ID, Value>) -> [ID: Result<Value, any Error>] {
    Dictionary(results) { first, _ in first }
}
