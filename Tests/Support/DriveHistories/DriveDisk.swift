import StratusWorkers

/// The room on the disk of a device.
final class DriveDisk: Sendable {
    /// Changes for which there is room; nil without a limit.
    private let rest = Lock<Int?>(nil)

    var isFull: Bool { rest.withLock { $0.map { $0 <= 0 } ?? false } }

    func fill(after changes: Int) { rest.withLock { $0 = changes } }

    func free() { rest.withLock { $0 = nil } }

    /// Takes room for a change.
    /// - Returns: Whether there was some.
    func take() -> Bool {
        rest.withLock { rest in
            guard let count = rest else { return true }
            rest = max(0, count - 1)
            return count > 0
        }
    }
}
