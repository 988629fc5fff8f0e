import StratusCloudModel
import StratusCloudStore

/// How values stand in index keys: bytes that sort as the values do. Texts sort by their UTF-8 bytes, so capitals
/// come before small letters; bytes as unsigned numbers, one by one, so that a value comes before all it begins;
/// moments by their milliseconds; references by the record name they point to.
enum IndexValue {
    /// The bytes that decide the order of a value, whole; nil for types without an order.
    static func orderedBytes(_ value: ScalarValue) -> [UInt8]? {
        switch value {
        case .string(let text): return Array(text.utf8)
        case .reference(let reference): return Array(reference.recordName.utf8)
        case .bytes(let bytes): return bytes
        case .int64, .double, .timestamp:
            var encoder = TupleEncoder(capacity: 8)
            append(value, to: &encoder)
            return encoder.bytes
        case .location, .asset: return nil
        }
    }

    /// Appends a value as keys hold it, if its type has an order: texts and bytes cut to
    /// ``QueryLimits/indexedValueSize``.
    static func append(_ value: ScalarValue, to encoder: inout TupleEncoder) {
        switch value {
        case .string(let text): append(text.utf8, of: .string, to: &encoder)
        case .reference(let reference): append(reference.recordName.utf8, of: .reference, to: &encoder)
        case .bytes(let bytes): append(bytes, of: .bytes, to: &encoder)
        case .int64(let number): encoder.append(signed: number)
        case .double(let number): encoder.append(double: number)
        case .timestamp(let moment): encoder.append(signed: moment.milliseconds)
        case .location, .asset: break
        }
    }

    /// Whether values of the type are of any length, and their entries therefore cut; all others take 8 bytes.
    static func isOfVariableLength(_ type: ScalarType) -> Bool {
        type == .string || type == .reference || type == .bytes
    }

    /// Whether values of the type have an order, and with it entries in ``Keyspace/Tag/index``.
    static func isOrdered(_ type: ScalarType) -> Bool {
        switch type {
        case .string, .int64, .double, .timestamp, .reference, .bytes: true
        case .location, .asset: false
        }
    }

    /// Appends a value's ordered bytes as ``append(_:to:)`` appends the value.
    static func append(_ bytes: some Collection<UInt8>, of type: ScalarType, to encoder: inout TupleEncoder) {
        if isOfVariableLength(type) {
            encoder.append(escaped: bytes.prefix(QueryLimits.indexedValueSize))
        } else {
            encoder.append(rest: bytes)
        }
    }

    /// Whether an entry with this value can stand for other values too.
    static func isAmbiguous(_ bytes: [UInt8], of type: ScalarType) -> Bool {
        isOfVariableLength(type) && bytes.count >= QueryLimits.indexedValueSize
    }

    /// Where the value that begins at `start` ends in a key, and the record name begins; nil if the key is malformed.
    static func end(in key: [UInt8], from start: Int, of type: ScalarType) -> Int? {
        guard isOfVariableLength(type) else { return start + 8 <= key.count ? start + 8 : nil }
        var position = start
        while position + 1 < key.count {
            if key[position] != 0 {
                position += 1
            } else if key[position + 1] == 0 {
                return position + 2
            } else {
                position += 2
            }
        }
        return nil
    }

    /// The ordered bytes of a value that stands in a key.
    static func decoded(_ bytes: ArraySlice<UInt8>, of type: ScalarType) -> [UInt8] {
        guard isOfVariableLength(type) else { return Array(bytes) }
        var decoder = TupleDecoder(Key(Array(bytes)))
        return decoder.escaped() ?? []
    }
}

/// Compares texts as indexes do, by their UTF-8 bytes; Swift's own comparison takes canonical equivalents as equal.
enum ByteOrder {
    static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    static func equal(_ left: String, _ right: String) -> Bool {
        left.utf8.elementsEqual(right.utf8)
    }

    static func compare(_ left: [UInt8], _ right: [UInt8]) -> Int {
        if left == right { return 0 }
        return Key(left) < Key(right) ? -1 : 1
    }
}
