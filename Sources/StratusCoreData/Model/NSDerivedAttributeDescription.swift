import Foundation

/// An attribute whose value the store computes from other properties when it saves an object.
open class NSDerivedAttributeDescription: NSAttributeDescription {
    /// The expression, as the object that it is: naming its class here would bring Foundation's warning to each use.
    var expression: NSObject? { willSet { assertMutable() } }

    /// The source of the value: a key path, an aggregate of one (`tags.@count`), `canonical:` or `lowercase:` of
    /// a text, or `now()`.
    @available(*, deprecated, message: "NSExpression is deprecated in Foundation on Linux.")
    open var derivationExpression: NSExpression? {
        get { expression as? NSExpression }
        set { expression = newValue }
    }

    override func copyValues(to copy: NSPropertyDescription) {
        super.copyValues(to: copy)
        (copy as? NSDerivedAttributeDescription)?.expression = expression
    }

    /// Adds the expression, too: a store with another one would keep values that are no longer right.
    override func addFacts(to hash: inout VersionHash) {
        super.addFacts(to: &hash)
        hash.add("derived")
        hash.add(expression?.description)
    }
}
