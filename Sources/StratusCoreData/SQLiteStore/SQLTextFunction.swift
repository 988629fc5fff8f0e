import StratusCompatibility
import StratusSQLite

/// The function of SQL that compares texts as predicates do in memory.
enum SQLTextFunction {
    static let name = "stratus_text"

    static func add(to connection: SQLiteConnection) throws {
        let relations = PredicateComparison.Relation.allCases
        try connection.addTest(name, arguments: 4) { arguments in
            guard case .integer(let relation) = arguments[0], case .integer(let options) = arguments[1],
                relations.indices.contains(Int(relation))
            else { return false }
            return PredicateTextRelation.holds(
                arguments[2].text, relations[Int(relation)], arguments[3].text,
                PredicateComparison.Options(rawValue: UInt(options)))
        }
    }
}

extension SQLiteValue {
    fileprivate var text: String? { if case .text(let text) = self { text } else { nil } }
}
