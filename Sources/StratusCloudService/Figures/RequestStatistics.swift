import StratusCloudModel

/// How many requests there were, which failed, and how long each operation took.
public struct RequestStatistics: Hashable, Sendable {
    /// The requests that were answered.
    public var requests: UInt64 = 0
    /// The requests that failed, or that were refused in whole or in part, by operation.
    public var errors: [String: UInt64] = [:]
    /// The times of all requests.
    public var latencies = LatencyHistogram()
    /// The times of requests by operation. Operations are words of the server's own, so there are few. Earlier versions
    /// did not count by operation.
    public var operations: [String: LatencyHistogram] = [:]

    /// Statistics of no requests.
    public init() {}

    /// Counts a request.
    /// - Parameter microseconds: the time that it took.
    public mutating func count(_ operation: String, microseconds: Int64, failed: Bool) {
        requests += 1
        latencies.count(microseconds: microseconds)
        operations[operation, default: LatencyHistogram()].count(microseconds: microseconds)
        if failed { errors[operation, default: 0] += 1 }
    }

    /// Adds later statistics.
    public mutating func add(_ later: RequestStatistics) {
        requests += later.requests
        errors.merge(later.errors) { $0 + $1 }
        latencies.add(later.latencies)
        for (operation, times) in later.operations { operations[operation, default: LatencyHistogram()].add(times) }
    }
}

extension RequestStatistics {
    /// Reads everything but ``operations``.
    init(from reader: inout ByteReader) throws {
        requests = try reader.unsigned()
        for _ in 0..<(try reader.unsigned()) { errors[try reader.string()] = try reader.unsigned() }
        latencies = try LatencyHistogram(from: &reader)
    }

    /// Writes everything but ``operations``.
    func write(to writer: inout ByteWriter) {
        writer.write(unsigned: requests)
        writer.write(unsigned: UInt64(errors.count))
        for (operation, count) in errors.sorted(by: { $0.key < $1.key }) {
            writer.write(operation)
            writer.write(unsigned: count)
        }
        latencies.write(to: &writer)
    }

    mutating func readOperations(from reader: inout ByteReader) throws {
        for _ in 0..<(try reader.unsigned()) {
            operations[try reader.string()] = try LatencyHistogram(from: &reader)
        }
    }

    func writeOperations(to writer: inout ByteWriter) {
        writer.write(unsigned: UInt64(operations.count))
        for (operation, times) in operations.sorted(by: { $0.key < $1.key }) {
            writer.write(operation)
            times.write(to: &writer)
        }
    }
}
