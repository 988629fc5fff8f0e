import StratusCloudCrypto
import StratusCloudModel

@testable import StratusCloudService

/// Random records, the same for the same seed.
struct RandomValues: RandomNumberGenerator {
    private let source: RandomSource

    init(seed: UInt64) { source = .seeded(seed) }

    func next() -> UInt64 { source.integer() }

    mutating func string() -> String {
        let alphabet = Array("aAzZ09 _-é東京🚀\u{0}\u{301}ß\u{202E}")
        return String(
            (0..<Int.random(in: 0...12, using: &self)).map { _ in alphabet.randomElement(using: &self) ?? "x" })
    }

    mutating func double() -> Double {
        let edges = [0, -0.0, .greatestFiniteMagnitude, .leastNonzeroMagnitude, -1.5, 1e300]
        let bits = Double(bitPattern: next())
        return Bool.random(using: &self) && bits.isFinite ? bits : edges.randomElement(using: &self) ?? 0
    }

    mutating func int64() -> Int64 {
        let edges: [Int64] = [.min, .max, 0, -1, 1 << 53]
        return Bool.random(using: &self) ? Int64(bitPattern: next()) : edges.randomElement(using: &self) ?? 0
    }

    mutating func scalar(_ type: ScalarType) -> ScalarValue {
        switch type {
        case .string: .string(string())
        case .int64: .int64(int64())
        case .double: .double(double())
        case .timestamp: .timestamp(timestamp())
        case .bytes: .bytes(source.bytes(Int.random(in: 0...20, using: &self)))
        case .location: .location(location())
        case .reference: .reference(reference())
        case .asset: .asset(Asset(fileChecksum: string(), size: int64(), receipt: optional { $0.string() }))
        }
    }

    mutating func field() -> Field {
        let type = ScalarType.allCases.randomElement(using: &self) ?? .string
        let isEncrypted = type.canBeEncrypted && Bool.random(using: &self)
        guard Bool.random(using: &self) else { return Field(.scalar(scalar(type)), isEncrypted: isEncrypted) }
        let elements = (0..<Int.random(in: 0...4, using: &self)).map { _ in scalar(type) }
        return Field(.list(of: type, elements: elements), isEncrypted: isEncrypted)
    }

    mutating func record() -> StoredRecord {
        var fields = FieldMap()
        for _ in 0..<Int.random(in: 0...8, using: &self) { fields[string()] = field() }
        return StoredRecord(
            recordName: string(), recordType: string(), version: next(), fields: fields, created: stamp(),
            modified: stamp(), parent: optional { $0.reference() }, share: optional { $0.reference() },
            shortGUID: optional { $0.string() })
    }

    private mutating func timestamp() -> Timestamp {
        Timestamp(milliseconds: int64(), exactReferenceSeconds: optional { $0.double() })
    }

    private mutating func location() -> Location {
        Location(
            latitude: Double.random(in: -90...90, using: &self), longitude: Double.random(in: -180...180, using: &self),
            horizontalAccuracy: optional { $0.double() }, altitude: optional { $0.double() },
            course: optional { $0.double() }, timestamp: optional { $0.timestamp() })
    }

    private mutating func reference() -> Reference {
        let zone = optional { ZoneID(zoneName: $0.string(), ownerRecordName: $0.optional { $0.string() }) }
        let actions: [Reference.Action] = [.none, .deleteSelf, .validate]
        return Reference(recordName: string(), zoneID: zone, action: actions.randomElement(using: &self) ?? .none)
    }

    private mutating func stamp() -> RecordStamp {
        RecordStamp(timestamp: int64(), userRecordName: string(), deviceID: string())
    }

    private mutating func optional<Value>(_ make: (inout Self) -> Value) -> Value? {
        Bool.random(using: &self) ? make(&self) : nil
    }
}
