/// A test waited for what did not come.
public struct WaitedInVain: Error, CustomStringConvertible {
    /// What it waited for.
    public let what: String

    /// The same in words.
    public var description: String { "waited in vain for: \(what)" }
}

/// How long ``wait(for:until:)`` and its sibling go on: far longer than anything takes on the busiest machine, so that
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
/// - Parameters:
///   - giveUp: Ends the event, if it does not come. Nothing stands between the event and who waits for it, so that a busy
///     machine makes it no later.
/// - Throws: ``WaitedInVain`` if it does not come, so that a run ends and names what failed; and what the event throws.
public func wait<Value>(
    for what: String, isolation: isolated (any Actor)? = #isolation, givingUpBy giveUp: @escaping @Sendable () -> Void,
    event: () async throws -> Value
) async throws -> Value {
    let clock = ContinuousClock()
    let end = clock.now + patience
    let watch = Task {
        try await clock.sleep(until: end)
        giveUp()
    }
    defer { watch.cancel() }
    do {
        let value = try await event()
        if clock.now < end { return value }
    } catch {
        if clock.now < end { throw error }
    }
    throw WaitedInVain(what: what)
}
