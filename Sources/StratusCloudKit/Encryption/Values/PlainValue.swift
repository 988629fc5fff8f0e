import Foundation
import StratusCloudModel

/// A value before it is encrypted, with its type, bit for bit. The format stands in `Documentation/sdk/encryption.md`.
enum PlainValue: Hashable, Sendable {
    case scalar(ScalarValue)
    /// Without a type where the list is empty.
    case list(of: ScalarType?, [ScalarValue])

    /// Lengths are multiples of this, so that short values all look alike.
    static let block = 16
    private static let listFlag: UInt8 = 0x80

    // MARK: Writing

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        switch self {
        case .scalar(let value):
            bytes.append(value.type.rawValue)
            Self.write(value, to: &bytes)
        case .list(let type, let elements):
            bytes.append(Self.listFlag | (type?.rawValue ?? 0))
            bytes.append(bigEndian: UInt32(elements.count))
            for element in elements { Self.write(element, to: &bytes) }
        }
        bytes += [UInt8](repeating: 0, count: (Self.block - bytes.count % Self.block) % Self.block)
        return bytes
    }

    private static func write(_ value: ScalarValue, to bytes: inout [UInt8]) {
        switch value {
        case .string(let text):
            bytes.append(bigEndian: UInt32(text.utf8.count))
            bytes += text.utf8
        case .bytes(let data):
            bytes.append(bigEndian: UInt32(data.count))
            bytes += data
        case .int64(let number): bytes.append(bigEndian: number)
        case .double(let number): bytes.append(bigEndian: number.bitPattern)
        case .timestamp(let timestamp): write(timestamp, to: &bytes)
        case .location(let place): write(place, to: &bytes)
        // Records refuse both under `encryptedValues`.
        case .reference, .asset: preconditionFailure("a value of this type cannot be encrypted")
        }
    }

    private static func write(_ timestamp: Timestamp, to bytes: inout [UInt8]) {
        bytes.append(bigEndian: timestamp.date.timeIntervalSinceReferenceDate.bitPattern)
    }

    /// The coordinates, a byte that says which of the others there are, and those.
    private static func write(_ place: Location, to bytes: inout [UInt8]) {
        let others = [place.horizontalAccuracy, place.verticalAccuracy, place.altitude, place.speed, place.course]
        bytes.append(bigEndian: place.latitude.bitPattern)
        bytes.append(bigEndian: place.longitude.bitPattern)
        var present: UInt8 = place.timestamp == nil ? 0 : 1 << 5
        for (index, value) in others.enumerated() where value != nil { present |= 1 << UInt8(index) }
        bytes.append(present)
        for case let value? in others { bytes.append(bigEndian: value.bitPattern) }
        if let timestamp = place.timestamp { write(timestamp, to: &bytes) }
    }

    // MARK: Reading

    init(_ bytes: [UInt8]) throws(FrameReader.Malformed) {
        var reader = FrameReader(bytes)
        let tag = try reader.byte()
        let type = ScalarType(rawValue: tag & ~Self.listFlag)
        if tag & Self.listFlag == 0 {
            guard let type else { throw FrameReader.Malformed() }
            self = .scalar(try Self.scalar(type, &reader))
        } else {
            let count = try reader.number(UInt32.self)
            guard type != nil || (count == 0 && tag == Self.listFlag) else { throw FrameReader.Malformed() }
            var elements: [ScalarValue] = []
            if let type { for _ in 0..<count { elements.append(try Self.scalar(type, &reader)) } }
            self = .list(of: type, elements)
        }
        try reader.endOfPadding()
    }

    private static func scalar(
        _ type: ScalarType, _ reader: inout FrameReader
    ) throws(FrameReader.Malformed) -> ScalarValue {
        switch type {
        case .string: .string(try reader.text())
        case .bytes: .bytes(try reader.frame())
        case .int64: .int64(Int64(bitPattern: try reader.number(UInt64.self)))
        case .double: .double(try double(&reader))
        case .timestamp: .timestamp(try timestamp(&reader))
        case .location: .location(try location(&reader))
        case .reference, .asset: throw FrameReader.Malformed()
        }
    }

    private static func double(_ reader: inout FrameReader) throws(FrameReader.Malformed) -> Double {
        Double(bitPattern: try reader.number(UInt64.self))
    }

    private static func timestamp(_ reader: inout FrameReader) throws(FrameReader.Malformed) -> Timestamp {
        guard let timestamp = Timestamp(Date(timeIntervalSinceReferenceDate: try double(&reader))) else {
            throw FrameReader.Malformed()
        }
        return timestamp
    }

    private static func location(_ reader: inout FrameReader) throws(FrameReader.Malformed) -> Location {
        var place = Location(latitude: try double(&reader), longitude: try double(&reader))
        let present = try reader.byte()
        guard present < 1 << 6 else { throw FrameReader.Malformed() }
        if present & 1 << 0 != 0 { place.horizontalAccuracy = try double(&reader) }
        if present & 1 << 1 != 0 { place.verticalAccuracy = try double(&reader) }
        if present & 1 << 2 != 0 { place.altitude = try double(&reader) }
        if present & 1 << 3 != 0 { place.speed = try double(&reader) }
        if present & 1 << 4 != 0 { place.course = try double(&reader) }
        if present & 1 << 5 != 0 { place.timestamp = try timestamp(&reader) }
        return place
    }

    init(_ value: FieldValue) {
        switch value {
        case .scalar(let value): self = .scalar(value)
        case .list(let type, let elements): self = .list(of: elements.isEmpty ? nil : type, elements)
        }
    }

    /// As a field holds it.
    var fieldValue: FieldValue {
        switch self {
        case .scalar(let value): .scalar(value)
        case .list(let type, let elements): .list(of: type ?? .string, elements: elements)
        }
    }
}
