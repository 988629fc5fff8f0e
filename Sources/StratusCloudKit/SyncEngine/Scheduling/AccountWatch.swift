import Foundation
import StratusWorkers

/// Notices who signs in and out, at one container.
package final class AccountWatch: Sendable {
    /// What a device knows of its account without asking anybody.
    private struct Sight: Sendable {
        let connection: CloudConnection
        let isSignedIn: Bool
        let status: CKAccountStatus?

        init(_ source: ContainerSource) {
            connection = source.connection
            isSignedIn = connection.transport.isSignedIn
            status = connection.transport.accountStatus
        }

        func differs(from other: Sight) -> Bool {
            connection !== other.connection || isSignedIn != other.isSignedIn || status != other.status
        }
    }

    /// `@unchecked Sendable`: the token is only given back, once.
    private struct Token: @unchecked Sendable {
        let value: any NSObjectProtocol
    }

    private let token = Lock<Token?>(nil)

    package init() {}

    /// Calls `body` each time that something is different at a container.
    package func begin(_ container: CKContainer, _ body: @escaping @Sendable () -> Void) {
        begin(container.source, body)
    }

    /// Calls `body` each time that something is different. The system's word of a change is about all accounts.
    func begin(_ source: ContainerSource, _ body: @escaping @Sendable () -> Void) {
        let last = Lock(Sight(source))
        let value = NotificationCenter.default.addObserver(forName: .CKAccountChanged, object: nil, queue: nil) { _ in
            let now = Sight(source)
            let isDifferent = last.withLock { last in
                defer { last = now }
                return now.differs(from: last)
            }
            if isDifferent { body() }
        }
        token.withLock { $0 = Token(value: value) }
    }

    deinit {
        if let token = token.withLock({ $0 }) { NotificationCenter.default.removeObserver(token.value) }
    }
}
