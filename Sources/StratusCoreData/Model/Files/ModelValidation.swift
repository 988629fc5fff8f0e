import Foundation
import StratusCompatibility
import StratusModelFiles

/// A condition that a model's bounds of a value mean.
struct ModelValidation {
    let predicate: NSPredicate
    /// The code of the error for a value that does not satisfy it.
    let code: CocoaError.Code

    /// Returns the conditions of an attribute. The bounds of a text are those of its length.
    static func rules(of attribute: ModelAttribute) -> [ModelValidation] {
        let type = attribute.type
        let (operand, low, high): (PredicateOperand, CocoaError.Code, CocoaError.Code) =
            switch type {
            case .string:
                (
                    .function(PredicateFunction.length.rawValue, [.evaluatedObject]), .validationStringTooShort,
                    .validationStringTooLong
                )
            case .date: (.evaluatedObject, .validationDateTooSoon, .validationDateTooLate)
            default: (.evaluatedObject, .validationNumberTooSmall, .validationNumberTooLarge)
            }
        var rules: [ModelValidation] = []
        func add(
            _ operand: PredicateOperand, _ relation: PredicateComparison.Relation, _ value: Any?,
            _ code: CocoaError.Code
        ) {
            guard let value else { return }
            let comparison = PredicateComparison(operand, relation, .value(PredicateValue(value)))
            rules.append(ModelValidation(predicate: NSPredicate(.comparison(comparison)), code: code))
        }
        add(operand, .greaterThanOrEqualTo, attribute.minimum?.object(for: type), low)
        add(operand, .lessThanOrEqualTo, attribute.maximum?.object(for: type), high)
        add(.evaluatedObject, .matches, attribute.regularExpression, .validationStringPatternMatching)
        return rules
    }
}
