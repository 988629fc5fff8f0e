import Foundation

/// A value in the file of a model, such as the default of an attribute.
package enum ModelValue: Hashable, Sendable {
    case integer(Int64)
    case double(Double)
    case decimal(Decimal)
    case boolean(Bool)
    case string(String)
    case date(Date)
    case uuid(UUID)
    case url(URL)
    case data(Data)

    /// Reads the text of a default value; nil if it is not one of the type.
    init?(_ text: String, _ type: ModelAttributeType) {
        switch type {
        case .integer16, .integer32, .integer64:
            guard let number = Self.integer(text) else { return nil }
            self = .integer(number)
        case .double, .float:
            guard let number = Double(text), number.isFinite else { return nil }
            self = .double(number)
        case .decimal:
            guard Double(text)?.isFinite == true, let number = Decimal(string: text, locale: nil) else { return nil }
            self = .decimal(number)
        case .boolean:
            switch text.lowercased() {
            case "yes", "true", "1": self = .boolean(true)
            case "no", "false", "0": self = .boolean(false)
            default: return nil
            }
        case .string: self = .string(text)
        case .uuid:
            guard let uuid = UUID(uuidString: text) else { return nil }
            self = .uuid(uuid)
        case .uri:
            guard let url = URL(string: text) else { return nil }
            self = .url(url)
        case .date, .undefined, .binary, .transformable, .objectID, .composite: return nil
        }
    }

    /// Reads a whole number. Files also have `1.0` for one, and `NO` where an attribute was a Boolean before.
    static func integer(_ text: String) -> Int64? {
        switch text {
        case "NO": 0
        case "YES": 1
        default: Int64(text) ?? Double(text).flatMap { Int64(exactly: $0) }
        }
    }
}
