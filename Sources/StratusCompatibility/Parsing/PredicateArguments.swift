/// The arguments of a format, in turn.
struct PredicateArguments {
    private let values: [Any]
    private var used = 0

    init(_ values: [Any]) { self.values = values }

    mutating func next() -> Any? {
        guard used < values.count else { return nil }
        used += 1
        return values[used - 1]
    }

    var missing: String {
        values.isEmpty
            ? "the format wants an argument here, and there are none"
            : "the format wants argument \(values.count + 1) here, and there are only \(values.count)"
    }
}
