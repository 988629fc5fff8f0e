import Foundation
import StratusCompatibility

/// A fetch as a store gets it.
struct FetchPlan: Sendable {
    /// The name of the entity.
    var entity: String
    /// Whether rows of entities that inherit from the entity are included.
    var includesSubentities = true
    /// The rows to find; nil for all. Objects in it conform to ``RowIdentifying``.
    var predicate: PredicateTree?
    var sortKeys: [SortKey] = []
    /// The greatest number of results; 0 for any number.
    var limit = 0
    /// The number of results that are left out at the beginning.
    var offset = 0
    var result = Result.rows

    /// The kinds of results of a fetch.
    enum Result: Sendable {
        case rows
        case keys
        /// The number of results, within the limit and after the offset.
        case count
        case dictionaries(Dictionaries)
    }

    /// Results with named values in place of rows.
    struct Dictionaries: Sendable {
        /// The names of the results' values, and what they are: key paths, the row itself, or other expressions.
        var columns: [(name: String, expression: PredicateOperand)]
        /// Key paths and names of columns. Rows with equal values for them are one result. If empty, and a column is a
        /// function over a list of all rows, there is one result.
        var groupBy: [String] = []
        /// A condition on groups, over key paths, names of columns and functions over the rows of a group.
        var having: PredicateTree?
        /// Whether equal results are returned once.
        var isDistinct = false
    }

    /// The values of a key path that results are sorted by. Missing values come first, as with sort descriptors.
    struct SortKey: Sendable {
        var keyPath: String
        var isAscending = true
        /// The order of texts.
        var order = TextOrder.plain
    }
}

/// The results of a fetch.
enum FetchedRows: Sendable {
    case rows([StoredRow])
    case keys([RowKey])
    case count(Int)
    /// The values by the names of the columns. Numbers that are calculated are integers or double.
    case dictionaries([[String: StoredValue]])
}

/// A part of a fetch that has no SQL translation.
struct FetchFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The part of the predicate or sort key, and what is wrong with it.
    let description: String

    init(_ description: String) { self.description = description }
}
