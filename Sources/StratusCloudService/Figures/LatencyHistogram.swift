import StratusCloudModel

/// The times that requests took, counted in buckets: any number of requests takes the same small amount of memory.
public struct LatencyHistogram: Hashable, Sendable {
    /// Upper bounds of the buckets in microseconds, each half as much again as the one before. A last bucket takes the
    /// rest.
    public static let bounds: [Int64] = (0..<32).map { index in
        (0..<index).reduce(Int64(100)) { bound, _ in bound + bound / 2 }
    }

    private var counts = [UInt64](repeating: 0, count: LatencyHistogram.bounds.count + 1)

    /// A histogram of no requests.
    public init() {}

    /// The number of requests.
    public var count: UInt64 { counts.reduce(0, +) }

    /// Counts a request that took so many microseconds.
    public mutating func count(microseconds: Int64) {
        var low = 0
        var high = Self.bounds.count
        while low < high {
            let middle = (low + high) / 2
            if Self.bounds[middle] < microseconds { low = middle + 1 } else { high = middle }
        }
        counts[low] += 1
    }

    /// Adds the requests of another histogram.
    public mutating func add(_ other: LatencyHistogram) {
        for index in counts.indices { counts[index] += other.counts[index] }
    }

    /// Returns the time in milliseconds that a part of the requests, such as 0.99, did not exceed. It is interpolated
    /// within a bucket. Nil without any request.
    public func quantile(_ part: Double) -> Double? {
        let total = count
        guard total > 0 else { return nil }
        let wanted = part * Double(total)
        var before: UInt64 = 0
        for (index, count) in counts.enumerated() where count > 0 {
            guard Double(before + count) >= wanted else {
                before += count
                continue
            }
            let lower = index == 0 ? 0 : Double(Self.bounds[index - 1])
            let upper = Double(Self.bounds[min(index, Self.bounds.count - 1)])
            return (lower + (upper - lower) * (wanted - Double(before)) / Double(count)) / 1_000
        }
        return nil
    }
}

extension LatencyHistogram {
    init(from reader: inout ByteReader) throws {
        for _ in 0..<(try reader.unsigned()) {
            let index = try reader.unsigned()
            guard index < UInt64(counts.count) else { throw ByteReader.Malformed() }
            counts[Int(index)] = try reader.unsigned()
        }
    }

    /// Writes the buckets that are not empty.
    func write(to writer: inout ByteWriter) {
        let filled = counts.enumerated().filter { $0.element > 0 }
        writer.write(unsigned: UInt64(filled.count))
        for (index, count) in filled {
            writer.write(unsigned: UInt64(index))
            writer.write(unsigned: count)
        }
    }
}
