import Glibc

/// Counts different people without storing who they are: a HyperLogLog of 4,096 registers. Its error is about 1.6 % for
/// large numbers; small numbers are exact.
public struct UserSketch: Hashable, Sendable {
    private static let indexBits = 12

    private var registers = [UInt8](repeating: 0, count: 1 << UserSketch.indexBits)

    /// A sketch of nobody.
    public init() {}

    /// The day of a moment, counted from 1970-01-01 UTC.
    public static func day(of milliseconds: Int64) -> Int64 { milliseconds / 86_400_000 }

    /// Counts a user by their user record name.
    /// - Returns: whether the sketch changed.
    @discardableResult
    public mutating func insert(_ userRecordName: String) -> Bool {
        let hash = Self.hash(userRecordName)
        let index = Int(hash >> UInt64(64 - Self.indexBits))
        let rest = hash << UInt64(Self.indexBits)
        let rank = UInt8(min(rest.leadingZeroBitCount, 64 - Self.indexBits) + 1)
        guard registers[index] < rank else { return false }
        registers[index] = rank
        return true
    }

    /// Adds the users of another sketch.
    public mutating func formUnion(_ other: UserSketch) {
        for index in registers.indices { registers[index] = max(registers[index], other.registers[index]) }
    }

    /// The estimated number of users.
    public var count: Int {
        let size = Double(registers.count)
        let zeros = registers.count { $0 == 0 }
        let sum = registers.reduce(0.0) { $0 + 1 / Double(UInt64(1) << UInt64($1)) }
        let estimate = 0.7213 / (1 + 1.079 / size) * size * size / sum
        // Small numbers are counted by the registers that are still empty.
        guard estimate <= 2.5 * size, zeros > 0 else { return Int(estimate.rounded()) }
        return Int((size * log(size / Double(zeros))).rounded())
    }

    /// FNV-1a with a final mix, which is enough because names are random.
    private static func hash(_ text: String) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        let bytes = text.utf8.span
        for index in bytes.indices { hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01B3 }
        hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
        return hash ^ (hash >> 31)
    }

}

extension UserSketch: StoredValue {
    static let format: UInt8 = 1

    init(from reader: inout ByteReader) throws {
        for _ in 0..<(try reader.unsigned()) {
            let index = try reader.unsigned()
            guard index < UInt64(registers.count) else { throw ByteReader.Malformed() }
            registers[Int(index)] = try reader.byte()
        }
    }

    func write(to writer: inout ByteWriter) {
        let filled = registers.enumerated().filter { $0.element > 0 }
        writer.write(unsigned: UInt64(filled.count))
        for (index, rank) in filled {
            writer.write(unsigned: UInt64(index))
            writer.write(byte: rank)
        }
    }
}
