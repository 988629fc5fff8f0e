import StratusWorkers

/// The contents that people wrote, and what they did to them on purpose.
final class DriveLedger: Sendable {
    private struct State {
        var number = 0
        var written: Set<String> = []
        var removed: Set<String> = []
    }

    private let state = Lock(State())

    /// All contents that were ever closed.
    var written: Set<String> { state.withLock { $0.written } }
    /// Contents that nobody has replaced or deleted since.
    var wanted: Set<String> { state.withLock { $0.written.subtracting($0.removed) } }

    /// A content that nobody has written before. Many have the same length.
    func newText() -> String {
        state.withLock { state in
            state.number += 1
            return "content \(state.number)" + String(repeating: ".", count: state.number % 3)
        }
    }

    func close(_ text: String) { state.withLock { _ = $0.written.insert(text) } }

    /// Somebody replaces or deletes a content on purpose.
    func remove(_ text: String) { state.withLock { _ = $0.removed.insert(text) } }

    /// Somebody wants a content back.
    func restore(_ text: String) { state.withLock { _ = $0.removed.remove(text) } }
}
