import Foundation
import Workers

/// Notices who signs in and out.
final class AccountWatch: Sendable {
    /// `@unchecked Sendable`: the token is only given back, once.
    private struct Token: @unchecked Sendable {
        let value: any NSObjectProtocol
    }

    private let token = Lock<Token?>(nil)

    func begin(_ body: @escaping @Sendable () -> Void) {
        let value = NotificationCenter.default.addObserver(forName: .CKAccountChanged, object: nil, queue: nil) { _ in
            body()
        }
        token.withLock { $0 = Token(value: value) }
    }

    deinit {
        if let token = token.withLock({ $0 }) { NotificationCenter.default.removeObserver(token.value) }
    }
}
