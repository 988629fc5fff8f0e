import StratusCloudModel

/// A record as one line of JSON, for exports: the dictionary of the wire. Owners that are not
/// named stay so.
public enum RecordLine {
    /// Stands for the owner of the database in who made and changed a record.
    public static let ownerName = "\(WireNames.defaultOwner)"

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

    /// Returns the JSON of a value, as it stands in a line.
    public static func encode(_ value: FieldValue) -> [UInt8] {
        var writer = JSONWriter()
        let form = ResponseEncoder(context: WireContext(requestUUID: "")).form
        switch value {
        case .scalar(let scalar): writer.scalar(scalar, form)
        case .list(_, let elements):
            writer.beginArray()
            for element in elements { writer.scalar(element, form) }
            writer.endArray()
        }
        return writer.bytes
    }

    /// Reads the JSON of a value of the type `type`. `limit` is in bytes.
    public static func decode(
        _ value: [UInt8], as type: FieldType, limit: Int = JSONLimits.textSize
    ) throws(CloudError) -> FieldInput {
        let declared: DeclaredType = type.isList ? .list(type.scalar) : .scalar(type.scalar)
        let reader = try JSONReader(value, limit: limit)
        return FieldInput(
            try reader.input(declared: declared), declaredType: declared, isEncrypted: type.isEncrypted)
    }
}
