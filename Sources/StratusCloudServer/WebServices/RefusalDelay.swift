import Synchronization

/// Lets those wait a moment who ask too often, before they are told.
///
/// A client that sends its next request when the last one is answered, as nearly all do, is slowed down by it to a few
/// requests a second for each connection: a flood costs the time of its sender instead of the server's.
final class RefusalDelay: Sendable {
    private let held = Atomic<Int>(0)

    /// Returns after ``ServerLimits/refusalDelay``; at once if ``ServerLimits/heldRefusals`` wait already, or the
    /// client goes away.
    func wait() async {
        defer { held.subtract(1, ordering: .relaxed) }
        guard held.add(1, ordering: .relaxed).newValue <= ServerLimits.heldRefusals else { return }
        // A sleep that is cut short only makes the answer earlier.
        try? await Task.sleep(for: .milliseconds(Int.random(in: ServerLimits.refusalDelay)))
    }
}
