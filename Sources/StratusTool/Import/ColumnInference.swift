import StratusCloudModel
import StratusCloudWire

/// Finds the type of a column of CSV from all its cells: the narrowest one that loses nothing of any of them.
///
/// Numbers with leading zeros or a plus sign, such as postal codes and phone numbers, are text, and so are numbers with
/// more digits than the type holds.
struct ColumnInference: Sendable {
    private enum Form: CaseIterable {
        case whole, number, flag, date, place, reference, list
    }

    private var forms = Form.allCases
    private var isEmpty = true
    /// The types of the elements of lists.
    private var elements: Set<ScalarType> = []

    /// Takes a cell into account; an empty one says nothing.
    mutating func add(_ cell: String) {
        let cell = TextValue.trimmed(cell)
        guard !cell.isEmpty else { return }
        isEmpty = false
        var left: [Form] = []
        for form in forms where fits(cell, form) { left.append(form) }
        forms = left
    }

    /// The type; text for a column without any value.
    var type: FieldType {
        guard !isEmpty, let form = forms.first else { return FieldType(.string) }
        switch form {
        case .whole, .flag: return FieldType(.int64)
        case .number: return FieldType(.double)
        case .date: return FieldType(.timestamp)
        case .place: return FieldType(.location)
        case .reference: return FieldType(.reference)
        case .list: return FieldType(elementType ?? .string, isList: true)
        }
    }

    private var elementType: ScalarType? { elements == [.int64, .double] ? .double : elements.first }

    private mutating func fits(_ cell: String, _ form: Form) -> Bool {
        switch form {
        case .whole: Self.isWhole(cell)
        case .number: Self.isNumber(cell)
        case .flag: Bool(cell.lowercased()) != nil
        case .date: Int64(cell) == nil && DateText.milliseconds(cell) != nil
        case .place: Self.isPlace(cell)
        case .reference: Self.object(cell)?.type == .reference
        case .list: takeList(cell)
        }
    }

    /// Whether a text is a whole number as it would be printed.
    private static func isWhole(_ text: String) -> Bool { Int64(text).map { String($0) == text } ?? false }

    private static func isNumber(_ text: String) -> Bool {
        let digits = text.utf8.prefix { $0 != UInt8(ascii: "e") && $0 != UInt8(ascii: "E") }.filter { $0 != 0x2D }
        let whole = digits.prefix { $0 != UInt8(ascii: ".") }
        guard digits.allSatisfy({ $0 == 0x2E || (0x30...0x39).contains($0) }), !whole.isEmpty,
            whole.count == 1 || whole.first != 0x30, digits.count <= 17, text.utf8.last != 0x2E,
            let number = Double(text), number.isFinite
        else { return false }
        // Beyond, not every whole number is one.
        return digits.contains(0x2E) || abs(number) <= 0x1p53
    }

    /// Whether a text is `latitude,longitude`, both with a point: `1,5` is a number with a comma.
    private static func isPlace(_ text: String) -> Bool {
        if let object = object(text) { return object.type == .location }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { TextValue.trimmed(String($0)) }
        guard parts.count == 2, parts.allSatisfy({ $0.contains(".") && isNumber($0) }),
            let latitude = Double(parts[0]), let longitude = Double(parts[1])
        else { return false }
        return (-90...90).contains(latitude) && (-180...180).contains(longitude)
    }

    /// Returns the reference or location that is written as a JSON object.
    private static func object(_ text: String) -> ScalarValue? {
        guard text.hasPrefix("{") else { return nil }
        for type in [ScalarType.reference, .location] {
            if case .scalar(let value)? = decoded(text, FieldType(type))?.value { return value }
        }
        return nil
    }

    /// Returns the members of a list that is written as JSON.
    private static func members(_ text: String) -> [InputValue]? {
        guard text.hasPrefix("[") else { return nil }
        for type in [ScalarType.string, .reference, .location] {
            if case .list(let members)? = decoded(text, FieldType(type, isList: true))?.value { return members }
        }
        return nil
    }

    private mutating func takeList(_ text: String) -> Bool {
        guard let members = Self.members(text) else { return false }
        for member in members {
            switch member {
            case .text: elements.insert(.string)
            case .integer, .boolean: elements.insert(.int64)
            case .decimal, .largeInteger: elements.insert(.double)
            case .scalar(let value): elements.insert(value.type)
            case .null, .list: return false
            }
        }
        return elements.count <= 1 || elements == [.int64, .double]
    }

    private static func decoded(_ text: String, _ type: FieldType) -> FieldInput? {
        // What is no JSON is text, which is no failure here.
        try? RecordLine.decode(Array(text.utf8), as: type, limit: ImportLimits.rowSize)
    }
}
