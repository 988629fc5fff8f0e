import StratusWorkers

/// An engine's line to the notifications of whatever connection its database has.
package final class PushLine: Sendable {
    private struct State: Sendable {
        var connection: CloudConnection?
        var subscription: PushSubscription?
    }

    private let state = Lock(State())

    package init() {}

    /// Listens to a container while somebody is signed in there.
    package func attach(to container: CKContainer, _ receive: @escaping @Sendable (PushReport) -> Void) async {
        let connection = container.source.connection
        guard connection.transport.isSignedIn else { return close() }
        await attach(to: connection, receive)
    }

    /// Listens to a connection, and to no other. Returns when it is known whether it brings notifications now, so that
    /// what is fetched then misses nothing.
    func attach(
        to connection: CloudConnection, _ receive: @escaping @Sendable (PushReport) -> Void
    ) async {
        guard state.withLock({ $0.connection !== connection }) else { return }
        let subscription = connection.pushes.subscribe(receive)
        replace(State(connection: connection, subscription: subscription))
        await subscription.begin()
    }

    /// Listens no more.
    package func close() { replace(State()) }

    private func replace(_ next: State) {
        let former = state.withLock { state in
            defer { state = next }
            return state.subscription
        }
        former?.end()
    }
}
