import StratusCloudModel

/// What a context did in some time.
public struct FigureSample: Hashable, Sendable {
    /// Upper bounds of the time that requests took, in microseconds, each half as much again as the one before; a last
    /// bucket takes the rest.
    public static let latencyBounds: [Int64] = (0..<32).map { index in
        (0..<index).reduce(Int64(100)) { bound, _ in bound + bound / 2 }
    }

    /// Requests answered.
    public var requests: UInt64 = 0
    /// Those that were refused, as wholes or in part, or failed, by operation.
    public var errors: [String: UInt64] = [:]
    /// Requests by the bucket of the time that they took.
    public var latencies = [UInt64](repeating: 0, count: FigureSample.latencyBounds.count + 1)
    /// What all databases held at the end; nil where nobody looked.
    public var usage: Usage?
    /// How full they were beside their quotas; nil where nobody looked, and in what earlier versions remembered.
    public var levels: StorageLevels?

    /// Nothing was done.
    public init() {}

    /// Whether there is nothing to remember.
    public var isEmpty: Bool { requests == 0 && usage == nil }

    /// Counts a request.
    /// - Parameter microseconds: that it took.
    public mutating func count(microseconds: Int64, failed operation: String?) {
        requests += 1
        var low = 0
        var high = Self.latencyBounds.count
        while low < high {
            let middle = (low + high) / 2
            if Self.latencyBounds[middle] < microseconds { low = middle + 1 } else { high = middle }
        }
        latencies[low] += 1
        if let operation { errors[operation, default: 0] += 1 }
    }

    /// Adds what was done afterwards.
    public mutating func add(_ later: FigureSample) {
        requests += later.requests
        errors.merge(later.errors) { $0 + $1 }
        for index in latencies.indices { latencies[index] += later.latencies[index] }
        usage = later.usage ?? usage
        levels = later.levels ?? levels
    }

    /// The time in milliseconds that a part of the requests did not exceed, as far as the buckets tell; nil without any.
    public func latency(of part: Double) -> Double? {
        let total = latencies.reduce(0, +)
        guard total > 0 else { return nil }
        let wanted = part * Double(total)
        var before: UInt64 = 0
        for (index, count) in latencies.enumerated() where count > 0 {
            guard Double(before + count) >= wanted else {
                before += count
                continue
            }
            let lower = index == 0 ? 0 : Double(Self.latencyBounds[index - 1])
            let upper = Double(Self.latencyBounds[min(index, Self.latencyBounds.count - 1)])
            return (lower + (upper - lower) * (wanted - Double(before)) / Double(count)) / 1_000
        }
        return nil
    }
}

extension FigureSample: StoredValue {
    static let format: UInt8 = 2
    static let readableFormats: ClosedRange<UInt8> = 1...2

    init(from reader: inout ByteReader) throws {
        requests = try reader.unsigned()
        for _ in 0..<(try reader.unsigned()) { errors[try reader.string()] = try reader.unsigned() }
        for _ in 0..<(try reader.unsigned()) {
            let index = try reader.unsigned()
            guard index < UInt64(latencies.count) else { throw ByteReader.Malformed() }
            latencies[Int(index)] = try reader.unsigned()
        }
        usage = try reader.optional { try Usage(from: &$0) }
        if !reader.isAtEnd { levels = try reader.optional { try StorageLevels(from: &$0) } }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(unsigned: requests)
        writer.write(unsigned: UInt64(errors.count))
        for (operation, count) in errors.sorted(by: { $0.key < $1.key }) {
            writer.write(operation)
            writer.write(unsigned: count)
        }
        let filled = latencies.enumerated().filter { $0.element > 0 }
        writer.write(unsigned: UInt64(filled.count))
        for (index, count) in filled {
            writer.write(unsigned: UInt64(index))
            writer.write(unsigned: count)
        }
        writer.write(optional: usage) { $1.write(to: &$0) }
        writer.write(optional: levels) { $1.write(to: &$0) }
    }
}
