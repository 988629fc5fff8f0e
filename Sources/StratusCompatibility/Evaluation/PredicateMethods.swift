/// The methods that `FUNCTION(target, 'selector', …)` can call: without a runtime that finds methods by name there are
/// only these, and without arguments the keys of the target.
enum PredicateMethods {
    static func call(_ selector: String, on target: PredicateValue, _ arguments: [PredicateValue]) -> PredicateValue {
        if let target = target.object as? any PredicateMethodTarget {
            return PredicateValue(target.value(forSelector: selector, arguments: arguments.map(\.object)))
        }
        return switch (selector, target, arguments.first) {
        case (_, _, nil): PredicateValue(KeyPathReader.value(at: selector, in: target.object))
        case ("valueForKey:", _, .string(let key)?), ("valueForKeyPath:", _, .string(let key)?),
            ("objectForKey:", .dictionary, .string(let key)?):
            PredicateValue(KeyPathReader.value(at: key, in: target.object))
        case ("objectAtIndex:", .list(let members), .integer(let index)?):
            members.indices.contains(Int(index)) ? members[Int(index)] : .null
        case ("distanceFromLocation:", .location(let place), .location(let other)?):
            .double(place.distance(from: other))
        case ("stringByAppendingString:", .string(let text), .string(let other)?): .string(text + other)
        case ("dateByAddingTimeInterval:", .date(let date), let seconds?):
            seconds.number.map { .date(date.addingTimeInterval($0)) } ?? .null
        case ("timeIntervalSinceDate:", .date(let date), .date(let other)?): .double(date.timeIntervalSince(other))
        default: .null
        }
    }
}
