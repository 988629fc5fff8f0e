import Foundation
import StratusCompatibility
import StratusSQLite

extension FetchTranslation {
    /// Returns a constant as a column of a kind has it; nil if no value of the kind equals it.
    static func sqlite(
        _ value: PredicateValue, as kind: SQLKind, _ layout: StoreLayout, _ part: String
    ) throws -> SQLiteValue? {
        switch (kind, value) {
        case (.number, .bool(let value)): return .integer(value ? 1 : 0)
        case (.number, .integer(let value)): return .integer(value)
        case (.number, .unsigned(let value)): return .real(Double(value))
        case (.number, .double(let value)): return value.isNaN ? nil : .real(value)
        case (.number, .decimal(let value)):
            let number = NSDecimalNumber(decimal: value)
            let whole = number.int64Value
            return value.isNaN ? nil : Decimal(whole) == value ? .integer(whole) : .real(number.doubleValue)
        case (.string, .string(let value)): return .text(value)
        case (.date, .date(let value)): return .real(value.timeIntervalSinceReferenceDate)
        case (.data, .data(let value)): return .blob(Array(value))
        case (.uuid, .uuid(let value)): return .blob(withUnsafeBytes(of: value.uuid) { Array($0) })
        case (.url, .url(let value)): return .text(value.absoluteString)
        case (.reference(let root), .object(let object)):
            guard let identifying = object.object as? any RowIdentifying else {
                throw FetchFailure("'\(part)': an object that is not a managed object is compared with one")
            }
            guard let key = identifying.rowKey, layout.entities[key.entity]?.root == root else { return nil }
            return .integer(key.primaryKey)
        default: return nil
        }
    }
}

extension SQLKind {
    init(_ type: StorageType) {
        self =
            switch type {
            case .integer, .boolean, .double, .float, .decimal: .number
            case .string: .string
            case .date: .date
            case .data, .externalData: .data
            case .uuid: .uuid
            case .url: .url
            case .reference(let name): .reference(name)
            }
    }
}
