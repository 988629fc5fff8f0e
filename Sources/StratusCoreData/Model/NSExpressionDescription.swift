import Foundation

/// A computed value in the dictionaries that a fetch returns, under the name of the description. Entities do not have
/// such properties.
open class NSExpressionDescription: NSPropertyDescription {
    /// The type of the computed value.
    open var expressionResultType = NSAttributeType.undefinedAttributeType { willSet { assertMutable() } }

    /// The expression, as the object that it is: naming its class here would bring Foundation's warning to each use.
    var ownExpression: NSObject? { willSet { assertMutable() } }

    /// The expression to compute.
    @available(*, deprecated, message: "NSExpression is deprecated in Foundation on Linux.")
    open var expression: NSExpression? {
        get { ownExpression as? NSExpression }
        set { ownExpression = newValue }
    }

    /// The type of the computed value, as a value of its own type.
    open var resultType: NSAttributeDescription.AttributeType {
        get { NSAttributeDescription.AttributeType(rawValue: expressionResultType.rawValue) }
        set { expressionResultType = NSAttributeType(rawValue: newValue.rawValue) ?? .undefinedAttributeType }
    }

    override func copyValues(to copy: NSPropertyDescription) {
        super.copyValues(to: copy)
        guard let copy = copy as? NSExpressionDescription else { return }
        copy.expressionResultType = expressionResultType
        copy.ownExpression = ownExpression
    }

    override func addFacts(to hash: inout VersionHash) {
        hash.add("expression")
        super.addFacts(to: &hash)
        hash.add(Int(expressionResultType.rawValue))
        hash.add(ownExpression?.description)
    }
}
