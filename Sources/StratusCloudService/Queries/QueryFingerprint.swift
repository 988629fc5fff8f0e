import StratusCloudCrypto
import StratusCloudModel

/// Tells apart what a continuation marker is good for: the question, the indexes that answer it, the zones, and who asks.
enum QueryFingerprint {
    static func bytes(
        _ request: QueryRecordsRequest, _ query: ResolvedQuery, _ address: DatabaseAddress, _ caller: Caller
    ) -> [UInt8] {
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
        for field in query.filters.flatMap(\.fields) + query.sorts.map(\.field) {
            writer.write(unsigned: field.index.number.rawValue)
        }
        return SHA256.hash(writer.bytes)
    }
}

extension Sort {
    fileprivate func write(to writer: inout ByteWriter) {
        field.write(to: &writer)
        writer.write(byte: ascending ? 1 : 0)
        writer.write(optional: relativeLocation) { Field(.scalar(.location($1))).write(to: &$0) }
    }
}
