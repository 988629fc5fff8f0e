/// The functions and keys of values, for other engines that must agree with predicates in memory.
package enum PredicateCall {
    /// Returns the result of a function; null if it has none for these arguments.
    package static func value(_ function: PredicateFunction, _ arguments: [PredicateValue]) -> PredicateValue {
        PredicateEvaluator(object: nil).call(function.rawValue, arguments)
    }

    /// Returns the value of a key of a text or a date, such as `length`; null if it has no such key.
    package static func value(forKey key: String, of value: PredicateValue) -> PredicateValue {
        PredicateValue(KeyPathReader.value(at: key, in: value.object))
    }
}
