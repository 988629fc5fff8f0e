/// Compares two sets of keys that are too large for memory and come in different orders.
///
/// Each key is added once for each set, with opposite signs, as a 64-bit hash under a key of this process. Keys belong
/// to records, and records to buckets. If the sum of a bucket is zero, both sets have the same keys there, but for one
/// difference in 2^64; otherwise the bucket's records are looked at one by one.
struct KeySums: Sendable {
    private var sums: [UInt64]

    /// - Parameter buckets: a power of two.
    init(buckets: Int) { sums = Array(repeating: 0, count: buckets) }

    mutating func add(_ hash: UInt64, to bucket: Bucket) { sums[place(bucket)] &+= hash }

    mutating func subtract(_ hash: UInt64, from bucket: Bucket) { sums[place(bucket)] &-= hash }

    mutating func merge(_ other: KeySums) { for place in sums.indices { sums[place] &+= other.sums[place] } }

    /// Whether all buckets are zero.
    var isZero: Bool { sums.allSatisfy { $0 == 0 } }

    /// Whether a record may have to do with a difference.
    func isSuspect(_ recordName: String, in zone: ZoneNumber) -> Bool {
        sums[place(Bucket(zone, recordName))] != 0
    }

    private func place(_ bucket: Bucket) -> Int { Int(truncatingIfNeeded: bucket.hash & UInt64(sums.count - 1)) }

    /// The bucket of a record.
    struct Bucket {
        fileprivate let hash: UInt64

        init(_ zone: ZoneNumber, _ recordName: UnsafeRawBufferPointer) {
            hash = KeySums.hash(recordName, with: zone.rawValue)
        }

        init(_ zone: ZoneNumber, _ recordName: String) {
            var name = recordName
            hash = name.withUTF8 { KeySums.hash(UnsafeRawBufferPointer($0), with: zone.rawValue) }
        }
    }

    /// The hash of a key, and of a number that belongs to it.
    static func hash(_ key: UnsafeRawBufferPointer, with number: UInt64 = 0) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(bytes: key)
        hasher.combine(number)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    static func hash(_ key: [UInt8], with number: UInt64 = 0) -> UInt64 {
        key.withUnsafeBytes { hash($0, with: number) }
    }
}
