import StratusCloudModel

/// A record as one line of JSON, for exports: the dictionary of the wire, with nothing lost. Owners that are not
/// named stay so.
public enum RecordLine {
    /// The line, without a line break; none can occur inside it.
    public static func encode(_ record: Record) -> [UInt8] {
        var writer = JSONWriter()
        var place = RecordPlace()
        ResponseEncoder(context: WireContext(requestUUID: "")).write(record, to: &writer, &place)
        return writer.bytes
    }

    /// Reads a line. `limit` is in bytes.
    public static func decode(_ line: [UInt8], limit: Int = JSONLimits.textSize) throws(CloudError) -> Record {
        let reader = try JSONReader(line, limit: limit)
        try reader.requireObject()
        return try reader.record(in: .default)
    }
}
