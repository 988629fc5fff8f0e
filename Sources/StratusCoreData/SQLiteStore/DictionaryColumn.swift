import Foundation
import StratusCompatibility
import StratusSQLite

/// A named value of the results of a fetch of dictionaries.
struct DictionaryColumn {
    let name: String
    /// The columns to select.
    let sql: [String]
    private let form: Form

    private enum Form {
        case property(PropertyLayout)
        /// The number of the row's entity and its key.
        case object
        case calculated(SQLKind)
    }

    init(
        _ name: String, _ expression: PredicateOperand, _ translation: FetchTranslation, _ scope: SQLScope
    ) throws {
        self.name = name
        let path: ArraySlice<String>? =
            switch expression {
            case .keyPath(let path): FetchTranslation.keys(path)
            case .evaluatedObject: []
            default: nil
            }
        switch try path.map({ try translation.resolve($0, in: scope) }) {
        case .property(let alias, let property):
            sql = property.columns(of: alias, translation.layout)
            form = .property(property)
        case .object(let alias, _):
            sql = ["\(alias).Z_ENT", "\(alias).Z_PK"]
            form = .object
        case .keyed, .collection, nil:
            translation.isGrouped = true
            defer { translation.isGrouped = false }
            switch try translation.term(expression, in: scope) {
            case .scalar(let text, let kind):
                sql = [text]
                form = .calculated(kind)
            case .constant(let value):
                guard let kind = SQLKind(of: value), let constant = kind.sqlite(value) else { fallthrough }
                sql = [try translation.bind(constant)]
                form = .calculated(kind)
            case .collection, .list: throw FetchFailure("'\(name)' has several values for each result")
            }
        }
    }

    func value(in row: SQLiteRow, at position: Int, _ layout: StoreLayout) throws -> StoredValue {
        switch form {
        case .property(let property):
            return try property.value(in: row, at: position, layout, of: { "of a result" })
        case .object:
            guard let entity = layout.entity(ofRow: row.integer(position)), let key = row.integer(position + 1) else {
                return .null
            }
            return .reference(try RowKey(entity.name, stored: key))
        case .calculated(let kind): return StoredValue(kind.value(row.value(position)))
        }
    }
}

extension StoredValue {
    /// Takes a value that a function calculated.
    init(_ value: PredicateValue) {
        self =
            switch value {
            case .bool(let value): .integer(value ? 1 : 0)
            case .integer(let value): .integer(value)
            case .double(let value): .double(value)
            case .decimal(let value): .decimal(value)
            case .string(let value): .string(value)
            case .date(let value): .date(value)
            case .data(let value): .data(value)
            case .uuid(let value): .uuid(value)
            case .url(let value): .url(value)
            case .null, .unsigned, .location, .list, .dictionary, .object: .null
            }
    }
}
