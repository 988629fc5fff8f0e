import Foundation
import StratusCompatibility
import StratusSQLite

extension FetchTranslation {
    /// Returns a constant as a column of a kind has it; nil if no value of the kind equals it.
    static func sqlite(
        _ value: PredicateValue, as kind: SQLKind, _ layout: StoreLayout, _ part: ComparisonPart
    ) throws -> SQLiteValue? {
        guard case .reference(let root) = kind, case .object(let object) = value else { return kind.sqlite(value) }
        guard let identifying = object.object as? any RowIdentifying else {
            throw FetchFailure("'\(part)': an object that is not a managed object is compared with one")
        }
        guard let key = identifying.rowKey(in: layout), layout.entities[key.entity]?.root == root else { return nil }
        return .integer(key.primaryKey)
    }
}
