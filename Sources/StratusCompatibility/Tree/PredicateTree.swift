@_exported import Foundation
@_exported import StratusCoreLocation

/// A predicate as a value: what `NSPredicate(format:)`, compounds and `#Predicate` have in common.
///
/// `NSPredicate.tree` gives it. Its values are exact: an integer argument is an integer here, a date has all its bits.
public indirect enum PredicateTree: Hashable, Sendable {
    /// `TRUEPREDICATE` or `FALSEPREDICATE`.
    case constant(Bool)
    /// All must hold. At least two, when it comes from a format.
    case and([PredicateTree])
    /// One must hold. At least two, when it comes from a format.
    case or([PredicateTree])
    /// It must not hold.
    case not(PredicateTree)
    /// One comparison.
    case comparison(PredicateComparison)
    /// A predicate that is code, as from `NSPredicate(block:)`: an `NSPredicate` that can only be asked.
    case code(PredicateObject)
}

/// `left relation right`, with what may stand around it.
public struct PredicateComparison: Hashable, Sendable {
    /// What the relation is asked of, if the left side is a collection.
    public enum Modifier: Hashable, Sendable {
        /// The collection itself.
        case direct
        /// All of its members: `ALL`.
        case all
        /// One of its members: `ANY`, `SOME`; `NONE` is the negation of it.
        case any
    }

    /// What is compared how.
    public enum Relation: String, Hashable, Sendable, CaseIterable {
        case lessThan = "<"
        case lessThanOrEqualTo = "<="
        case greaterThan = ">"
        case greaterThanOrEqualTo = ">="
        case equalTo = "=="
        case notEqualTo = "!="
        /// A regular expression, for the whole text.
        case matches = "MATCHES"
        /// `?` stands for one character and `*` for any.
        case like = "LIKE"
        case beginsWith = "BEGINSWITH"
        case endsWith = "ENDSWITH"
        /// The right side is a collection or a text that contains the left.
        case `in` = "IN"
        /// The left side is a collection or a text that contains the right.
        case contains = "CONTAINS"
        /// The right side is a list of two bounds, which belong to the range.
        case between = "BETWEEN"
        /// Words of the right side stand in the left; CloudKit's full-text search.
        case tokenMatches = "TOKENMATCHES"
    }

    /// How texts are compared: the letters in brackets behind a relation.
    public struct Options: OptionSet, Hashable, Sendable {
        /// The bits, those of `NSComparisonPredicate.Options`.
        public let rawValue: UInt

        /// Makes options of bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// `[c]`: without regard to case.
        public static let caseInsensitive = Options(rawValue: 1)
        /// `[d]`: without regard to accents.
        public static let diacriticInsensitive = Options(rawValue: 2)
        /// `[n]`: unit by unit, as the texts have been prepared for it. The others then do not count.
        public static let normalized = Options(rawValue: 4)
        /// `[l]`: in the order of the user's language.
        public static let localeSensitive = Options(rawValue: 8)
    }

    /// The side before the relation.
    public var left: PredicateOperand
    /// How the sides must stand to each other.
    public var relation: Relation
    /// The side behind the relation.
    public var right: PredicateOperand
    /// Whether members of the left side are meant.
    public var modifier: Modifier
    /// How texts are compared.
    public var options: Options

    /// Makes a comparison.
    public init(
        _ left: PredicateOperand, _ relation: Relation, _ right: PredicateOperand, modifier: Modifier = .direct,
        options: Options = []
    ) {
        self.left = left
        self.relation = relation
        self.right = right
        self.modifier = modifier
        self.options = options
    }
}
