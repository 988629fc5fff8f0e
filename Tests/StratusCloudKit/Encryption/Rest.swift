import StratusWorkers

/// Bytes that are taken one after another.
final class Rest: Sendable {
    private let bytes: Lock<[UInt8]>

    init(_ bytes: [UInt8]) { self.bytes = Lock(bytes) }

    func take(_ count: Int) -> [UInt8] {
        bytes.withLock { bytes in
            defer { bytes.removeFirst(min(count, bytes.count)) }
            return Array(bytes.prefix(count))
        }
    }
}
