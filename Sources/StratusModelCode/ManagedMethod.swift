/// An accessor of a to-many relationship that a class declares as `@NSManaged`.
struct ManagedMethod {
    private let method: String
    /// The rest of the call: the name without the verb, and the arguments.
    private let call: String
    private let relationship: String

    /// Returns nil for a method of an unknown form.
    /// - Parameter parameters: The parameters with their parentheses, such as `(_ value: Tag, at idx: Int)`.
    init?(name: String, parameters: String) {
        let parts = parameters.dropFirst().dropLast().split(separator: ",").map { part in
            part.split { $0.isWhitespace || $0 == ":" }.map(String.init)
        }
        guard parts.allSatisfy({ $0.count >= 3 }) else { return nil }
        let names = parts.map { $0[1] }
        let isCollection = parts.contains { part in
            ["NSSet", "NSOrderedSet", "NSIndexSet"].contains(part[2]) || part[2].hasPrefix("Set<")
        }
        let plural = isCollection ? "s" : ""
        let labels = parts.map { $0[0] }
        switch labels {
        case ["_"]: call = "ManagedObject\(plural)(\(names[0])"
        case ["_", "at"]: call = "ManagedObject\(plural)(\(names[0]), at: \(names[1])"
        case ["at"]: call = "ManagedObject\(plural)(at: \(names[0])"
        case ["at", "with"]: call = "ManagedObject\(plural)(at: \(names[0]), with: \(names[1])"
        default: return nil
        }
        let verbs = [
            ("addTo", "add", ["_"]), ("removeFrom", "remove", ["_"]), ("removeFrom", "remove", ["at"]),
            ("insertInto", "insert", ["_", "at"]), ("replace", "replace", ["at", "with"]),
        ]
        guard let verb = verbs.first(where: { name.hasPrefix($0.0) && labels == $0.2 }) else { return nil }
        relationship = String(name.dropFirst(verb.0.count))
        method = verb.1
    }

    /// Returns the call that the method consists of.
    func call(_ properties: [String: String]) -> String {
        let key = properties[relationship] ?? relationship.prefix(1).lowercased() + relationship.dropFirst()
        return "\(method)\(call), forKey: \(SwiftText.literal(key)))"
    }
}
