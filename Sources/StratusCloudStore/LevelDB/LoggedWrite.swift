/// What the inspection of a log learns of a write in it.
///
/// LevelDB numbers the operations of all writes in order. A write that is made while others before it are not on disk yet
/// begins with a row of its own, which says how many of their operations these are. Without it all before it were.
struct LoggedWrite {
    /// The number of the write's first operation.
    let sequence: UInt64
    /// The number of the next write's first operation.
    let next: UInt64
    /// Operations with lower numbers were on disk when the write was made.
    let firstNotDurable: UInt64

    /// Among the engine's own rows, before those of all partitions.
    private static let prefix: [UInt8] = [0]
    private static let key: [UInt8] = Array("lag".utf8)
    private static let valueSize = 8

    /// Begins a write during which so many operations before it are perhaps not on disk.
    static func begin(_ batch: WriteBatch, operationsNotDurable: Int) {
        guard operationsNotDurable > 0 else { return }
        let value = (0..<valueSize).map { UInt8(truncatingIfNeeded: operationsNotDurable >> (56 - 8 * $0)) }
        batch.set(prefix, key, value)
    }

    /// A write, or its beginning, as LevelDB logs it: the number of its first operation in eight bytes, and how many they
    /// are in four, the lowest first; then the operations. One that writes a row is: 1, the key's size, the key, the
    /// value's size, the value.
    ///
    /// Nil if there is too little to tell.
    init?(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes.prefix(Self.headSize + Self.row.count + Self.valueSize))
        guard bytes.count > Self.headSize else { return nil }
        sequence = bytes[..<8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        next = sequence &+ bytes[8..<Self.headSize].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        let operations = bytes[Self.headSize...]
        guard operations.starts(with: Self.row.prefix(operations.count)) else {
            firstNotDurable = sequence
            return
        }
        let value = operations.dropFirst(Self.row.count)
        guard value.count == Self.valueSize else { return nil }
        let lag = value.reduce(0) { $0 << 8 | UInt64($1) }
        firstNotDurable = lag <= sequence ? sequence - lag : 0
    }

    private static let headSize = 12
    private static let row: [UInt8] =
        [1, UInt8(prefix.count + key.count)] + prefix + key + [UInt8(valueSize)]
}
