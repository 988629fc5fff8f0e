/// The answer of a request whose handler has returned without one.
///
/// It must be given in the end, once; where nobody keeps it any more, the connection waits for nothing.
public final class HTTPLateAnswer: Sendable {
    private let exchange: Exchange
    private let head: HTTPRequestHead

    init(exchange: Exchange, head: HTTPRequestHead) {
        self.exchange = exchange
        self.head = head
    }

    /// Answers. Bodies that are written by a task, or given still later, are none.
    public func give(_ response: HTTPResponse) { exchange.giveLate(response, to: head) }

    /// Calls `body` when the client goes away or the server's patience is over, once, and at once if that has happened.
    /// Not called after ``give(_:)``.
    public func whenAbandoned(_ body: @escaping @Sendable () -> Void) { exchange.whenAbandoned(body) }
}
