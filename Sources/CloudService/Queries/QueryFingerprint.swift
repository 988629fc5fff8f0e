import CloudCrypto
import CloudModel

/// Tells apart what a continuation marker is good for: the question, the zones, and who asks.
enum QueryFingerprint {
    static func bytes(_ request: QueryRecordsRequest, _ address: DatabaseAddress, _ caller: Caller) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(address.partition.name)
        writer.write(caller.userRecordName ?? "")
        writer.write(byte: request.zoneWide && request.zoneID == nil ? 1 : 0)
        writer.write(address.zoneID.zoneName)
        writer.write(request.query.recordType)
        writer.write(unsigned: UInt64(request.query.filters.count))
        for filter in request.query.filters { filter.write(to: &writer) }
        writer.write(unsigned: UInt64(request.query.sorts.count))
        for sort in request.query.sorts { sort.write(to: &writer) }
        return SHA256.hash(writer.bytes)
    }
}

extension Filter {
    fileprivate func write(to writer: inout ByteWriter) {
        writer.write(comparator.rawValue)
        writer.write(optional: field) { $1.write(to: &$0) }
        value.value.write(to: &writer)
        writer.write(optional: distance) { $0.write(double: $1) }
    }
}

extension Sort {
    fileprivate func write(to writer: inout ByteWriter) {
        field.write(to: &writer)
        writer.write(byte: ascending ? 1 : 0)
        writer.write(optional: relativeLocation) { Field(.scalar(.location($1))).write(to: &$0) }
    }
}

extension QueryField {
    fileprivate func write(to writer: inout ByteWriter) {
        switch self {
        case .named(let name):
            writer.write(byte: 0)
            writer.write(name)
        case .system(let field):
            writer.write(byte: 1)
            writer.write(field.rawValue)
        }
    }
}

extension InputValue {
    fileprivate func write(to writer: inout ByteWriter) {
        switch self {
        case .null: writer.write(byte: 0)
        case .boolean(let value): writer.write(byte: value ? 2 : 1)
        case .integer(let value):
            writer.write(byte: 3)
            writer.write(signed: value)
        case .decimal(let value):
            writer.write(byte: 4)
            writer.write(double: value)
        case .text(let value):
            writer.write(byte: 5)
            writer.write(value)
        case .scalar(let value):
            writer.write(byte: 6)
            Field(.scalar(value)).write(to: &writer)
        case .list(let members):
            writer.write(byte: 7)
            writer.write(unsigned: UInt64(members.count))
            for member in members { member.write(to: &writer) }
        }
    }
}
