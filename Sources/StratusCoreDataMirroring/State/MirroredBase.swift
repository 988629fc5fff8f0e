import Foundation
import StratusCloudCrypto
import StratusCloudKit

/// The values that an object and its record had last in common. Only fingerprints of values are kept, because a
/// merge asks no more of them than whether they have changed.
struct MirroredBase: Hashable, Sendable {
    /// Fingerprints of the attributes that have a value.
    var values: [String: Data]
    /// The names of the records that to-one relationships lead to.
    var references: [String: String]

    init(values: [String: Data], references: [String: String]) {
        self.values = values
        self.references = references
    }

    /// The bytes for ``init(encoded:)``.
    var encoded: Data {
        var writer = CompactWriter()
        writer.list(values) { writer, value in
            writer.text(value.key)
            writer.blob(value.value)
        }
        writer.list(references) { writer, reference in
            writer.text(reference.key)
            writer.text(reference.value)
        }
        return writer.data
    }

    /// - Throws: ``CompactReader/Failure``
    init(encoded data: Data) throws {
        var reader = CompactReader(data)
        self.init(values: [:], references: [:])
        for _ in 0..<(try reader.count()) { values[try reader.requiredText()] = try reader.blob() }
        for _ in 0..<(try reader.count()) { references[try reader.requiredText()] = try reader.requiredText() }
        guard reader.isAtEnd else { throw CompactReader.Failure("there is something behind its end") }
    }
}

extension MirroredBase {
    /// Returns the names of the attributes that have the same value as before.
    func unchanged(since former: MirroredBase?) -> Set<String> {
        Set(values.keys.filter { values[$0] == former?.values[$0] })
    }

    init(_ row: MirroredRow) { self.init(values: row.values.mapValues(\.fingerprint), references: row.references) }
}

extension MirroredValue {
    /// Bytes that are the same for the same value: the value itself if it is short, and its hash if it is long.
    fileprivate var fingerprint: Data {
        switch self {
        case .string(let text): Self.fingerprint(of: Data(text.utf8), kind: 0)
        case .bytes(let data): Self.fingerprint(of: data, kind: 1)
        case .int(let number): Data([2]) + withUnsafeBytes(of: number.bigEndian) { Data($0) }
        case .double(let number): Self.fingerprint(of: number, kind: 3)
        case .date(let date): Self.fingerprint(of: date.timeIntervalSince1970, kind: 4)
        }
    }

    private static func fingerprint(of number: Double, kind: UInt8) -> Data {
        // Zero has two forms, which are equal.
        let number = number == 0 ? 0 : number
        return Data([kind]) + withUnsafeBytes(of: number.bitPattern.bigEndian) { Data($0) }
    }

    private static func fingerprint(of data: Data, kind: UInt8) -> Data {
        data.count <= 31 ? Data([kind]) + data : Data([kind | 0x80]) + Data(SHA256.hash(Array(data)))
    }
}
