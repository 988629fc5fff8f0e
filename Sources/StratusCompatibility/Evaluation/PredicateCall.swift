/// The functions and keys of values, for other engines that must agree with predicates in memory.
package enum PredicateCall {
    /// Returns the result of a function; null if it has none for these arguments.
    package static func value(_ function: PredicateFunction, _ arguments: [PredicateValue]) -> PredicateValue {
        PredicateEvaluator(object: nil).call(function.rawValue, arguments)
    }

    /// Returns the value of an expression with values for its variables.
    package static func value(of operand: PredicateOperand, bindings: [String: Any]) -> Any? {
        PredicateEvaluator(object: nil, bindings: bindings).value(operand).object
    }

    /// Returns the value of a key of a text or a date, such as `length`; null if it has no such key.
    package static func value(forKey key: String, of value: PredicateValue) -> PredicateValue {
        PredicateValue(KeyPathReader.value(at: key, in: value.object))
    }
}

/// An object with methods that `FUNCTION(target, 'selector', …)` calls.
package protocol PredicateMethodTarget: AnyObject {
    /// Returns the result of a method.
    func value(forSelector selector: String, arguments: [Any?]) -> Any?
}
