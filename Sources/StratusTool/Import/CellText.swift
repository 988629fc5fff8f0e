import StratusCloudModel
import StratusCloudWire

/// Cells of CSV as values, and values as cells.
///
/// Text, numbers, base64 and ISO 8601 dates stand as they are, a location as `latitude,longitude`, and a reference as
/// the name of its record. Everything that does not fit this form, which is lists, assets, locations that say more and
/// references with an action or into another zone, is the JSON that the web services have for it.
enum CellText {
    /// Returns the field of a cell that is not empty.
    static func field(_ text: String, as type: FieldType, _ subject: String) throws(RowError) -> FieldInput {
        guard isJSON(text, type) else {
            return FieldInput(
                .scalar(try TextValue.parse(text, as: type.scalar, subject)), declaredType: .scalar(type.scalar),
                isEncrypted: type.isEncrypted)
        }
        do {
            let field = try RecordLine.decode(Array(text.utf8), as: type, limit: ImportLimits.rowSize)
            if case .list = field.value { return field }
            if !type.isList { return field }
        } catch {
            throw RowError("\(subject): \(TextValue.quoted(text)) is not a valid \(type.schemaName): \(error.reason)")
        }
        throw RowError(
            "\(subject): \(TextValue.quoted(text)) is not a list such as [\"a\", \"b\"]; --list reads other separators")
    }

    private static func isJSON(_ text: String, _ type: FieldType) -> Bool {
        if type.isList { return true }
        return switch type.scalar {
        case .location, .reference, .asset: text.hasPrefix("{")
        case .string, .int64, .double, .timestamp, .bytes: false
        }
    }

    /// Returns the cell of a value, without quotation marks.
    static func text(_ value: FieldValue) -> String {
        guard case .scalar(let scalar) = value, let text = text(scalar) else {
            return String(decoding: RecordLine.encode(value), as: UTF8.self)
        }
        return text
    }

    /// Returns the plain form of a value; nil if it has none.
    private static func text(_ value: ScalarValue) -> String? {
        switch value {
        case .string(let text): text
        case .int64(let number): String(number)
        case .double(let number): String(number)
        case .timestamp(let moment): DateText.text(milliseconds: moment.milliseconds)
        case .bytes(let bytes): Base64.string(bytes)
        case .location(let place):
            place == Location(latitude: place.latitude, longitude: place.longitude)
                ? "\(place.latitude),\(place.longitude)" : nil
        case .reference(let reference):
            reference == Reference(recordName: reference.recordName) && !reference.recordName.hasPrefix("{")
                ? reference.recordName : nil
        case .asset: nil
        }
    }
}
