import Foundation

// Foundation on Linux lacks these two; with them the macro accepts the methods of the same name.

extension PredicateExpressions {
    /// `text.localizedStandardContains(part)`: without regard to case and accents.
    public struct StringLocalizedStandardContains<Root, Other>: PredicateExpression
    where
        Root: PredicateExpression, Other: PredicateExpression, Root.Output: StringProtocol, Other.Output: StringProtocol
    {
        /// What it is evaluated to.
        public typealias Output = Bool

        /// The text.
        public let root: Root
        /// What is looked for.
        public let other: Other

        /// Makes the expression.
        public init(root: Root, other: Other) {
            self.root = root
            self.other = other
        }

        /// Looks for the part.
        public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
            PredicateTextMatch.contains(
                String(try root.evaluate(bindings)), String(try other.evaluate(bindings)), .localizedStandard)
        }
    }

    /// `text.caseInsensitiveCompare(other)`.
    public struct StringCaseInsensitiveCompare<Root, Other>: PredicateExpression
    where
        Root: PredicateExpression, Other: PredicateExpression, Root.Output: StringProtocol, Other.Output: StringProtocol
    {
        /// What it is evaluated to.
        public typealias Output = ComparisonResult

        /// The text.
        public let root: Root
        /// What it is compared to.
        public let other: Other

        /// Makes the expression.
        public init(root: Root, other: Other) {
            self.root = root
            self.other = other
        }

        /// Compares the texts.
        public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
            String(try root.evaluate(bindings)).caseInsensitiveCompare(String(try other.evaluate(bindings)))
        }
    }

    // The macro expects the name.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Called by the macro.
    public static func build_localizedStandardContains<Root, Other>(
        _ root: Root, _ other: Other
    ) -> StringLocalizedStandardContains<Root, Other> { .init(root: root, other: other) }

    // The macro expects the name.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Called by the macro.
    public static func build_caseInsensitiveCompare<Root, Other>(
        _ root: Root, _ other: Other
    ) -> StringCaseInsensitiveCompare<Root, Other> { .init(root: root, other: other) }
}

extension PredicateExpressions.StringLocalizedStandardContains: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
extension PredicateExpressions.StringLocalizedStandardContains: Codable where Root: Codable, Other: Codable {}
extension PredicateExpressions.StringLocalizedStandardContains: Sendable where Root: Sendable, Other: Sendable {}

extension PredicateExpressions.StringCaseInsensitiveCompare: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
extension PredicateExpressions.StringCaseInsensitiveCompare: Codable where Root: Codable, Other: Codable {}
extension PredicateExpressions.StringCaseInsensitiveCompare: Sendable where Root: Sendable, Other: Sendable {}

extension PredicateExpressions.StringLocalizedStandardContains: PredicateTranslatable {
    func translated(_ context: PredicateTranslation) throws -> PredicatePiece {
        try context.comparison(root, .contains, other, .localizedStandard)
    }
}

extension PredicateExpressions.StringCaseInsensitiveCompare: CaselessComparison {
    var sides: (Any, Any) { (root, other) }
}

extension PredicateComparison.Options {
    fileprivate static let localizedStandard: Self = [.caseInsensitive, .diacriticInsensitive, .localeSensitive]
}
