import Foundation

/// The orders of texts, which sort descriptors name by methods of `NSString`.
package enum TextOrder: CaseIterable, Sendable {
    /// `compare:`, as predicates compare texts.
    case plain
    /// `caseInsensitiveCompare:`
    case caseInsensitive
    /// `localizedCompare:`
    case localized
    /// `localizedCaseInsensitiveCompare:`
    case localizedCaseInsensitive
    /// `localizedStandardCompare:`: numbers within texts by their value.
    case localizedStandard

    /// The method of `NSString`.
    package var selector: Selector {
        switch self {
        case .plain: "compare:"
        case .caseInsensitive: "caseInsensitiveCompare:"
        case .localized: "localizedCompare:"
        case .localizedCaseInsensitive: "localizedCaseInsensitiveCompare:"
        case .localizedStandard: "localizedStandardCompare:"
        }
    }

    /// The order of a method; nil if it is another one.
    init?(_ selector: Selector) {
        guard let order = Self.allCases.first(where: { $0.selector == selector }) else { return nil }
        self = order
    }

    /// Compares two texts.
    package func compare(_ left: String, _ right: String) -> ComparisonResult {
        switch self {
        case .plain: PredicateTextRelation.order(left, right)
        case .caseInsensitive: left.compare(right, options: .caseInsensitive)
        case .localized: left.compare(right, locale: .current)
        case .localizedCaseInsensitive: left.compare(right, options: .caseInsensitive, locale: .current)
        case .localizedStandard:
            left.compare(
                right, options: [.caseInsensitive, .numeric, .widthInsensitive, .forcedOrdering], locale: .current)
        }
    }
}
