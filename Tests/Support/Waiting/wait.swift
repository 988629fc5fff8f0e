/// A test waited for what did not come.
public struct WaitedInVain: Error, CustomStringConvertible {
    /// What it waited for.
    public let what: String

    /// The same in words.
    public var description: String { "waited in vain for: \(what)" }
}

/// How long ``wait(for:until:)`` and ``wait(for:event:)`` go on: far longer than anything takes on the busiest machine, so that
/// they end only what would never end.
private let patience = Duration.seconds(300)

/// Waits until something is so of which no event tells, and lets others work meanwhile. What is waited for must stay so
/// once it is: what may be over before somebody looks is missed.
/// - Throws: ``WaitedInVain`` if it never comes to be, so that a run ends and names what failed.
public func wait(
    for what: String, isolation: isolated (any Actor)? = #isolation, until isSo: () async throws -> Bool
) async throws {
    let clock = ContinuousClock()
    let end = clock.now + patience
    while try await !isSo() {
        guard clock.now < end else { throw WaitedInVain(what: what) }
        // A loop without a pause would take the core from what it waits for.
        try await Task.sleep(for: .milliseconds(2))
    }
}

/// What an event brings; for whoever waits for one that may never come.
/// - Throws: ``WaitedInVain`` if it does not, so that a run ends and names what failed; and what the event throws.
public func wait<Value: Sendable>(
    for what: String, event: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        defer { group.cancelAll() }
        group.addTask(operation: event)
        group.addTask {
            try await Task.sleep(for: patience)
            throw WaitedInVain(what: what)
        }
        guard let value = try await group.next() else { throw WaitedInVain(what: what) }
        return value
    }
}
