/// Functions over lists. What is no number is left out of sums; nil where there is no result.
enum PredicateStatistics {
    static func sum(_ values: [PredicateValue]) -> PredicateValue? {
        values.reduce(.integer(0)) { PredicateArithmetic.add($0, $1) ?? $0 }
    }

    static func average(_ values: [PredicateValue]) -> PredicateValue? {
        let numbers = values.compactMap(\.number)
        return numbers.isEmpty ? nil : .double(numbers.reduce(0, +) / Double(numbers.count))
    }

    static func least(_ values: [PredicateValue]) -> PredicateValue? {
        values.reduce(nil) { least, value in
            guard let least, least != .null else { return value }
            return PredicateOrder.compare(value, least) == .orderedAscending ? value : least
        }
    }

    static func greatest(_ values: [PredicateValue]) -> PredicateValue? {
        values.reduce(nil) { greatest, value in
            guard let greatest, greatest != .null else { return value }
            return PredicateOrder.compare(value, greatest) == .orderedDescending ? value : greatest
        }
    }

    static func median(_ values: [PredicateValue]) -> PredicateValue? {
        let numbers = values.compactMap(\.number).sorted()
        guard !numbers.isEmpty else { return nil }
        let middle = numbers.count / 2
        return .double(
            numbers.count.isMultiple(of: 2) ? (numbers[middle - 1] + numbers[middle]) / 2 : numbers[middle])
    }

    /// The values that occur most often, as a list.
    static func mode(_ values: [PredicateValue]) -> PredicateValue? {
        let counts = Dictionary(grouping: values, by: { $0 }).mapValues(\.count)
        guard let most = counts.values.max() else { return nil }
        return .list(distinct(values).filter { counts[$0] == most })
    }

    /// Of the whole population.
    static func standardDeviation(_ values: [PredicateValue]) -> PredicateValue? {
        let numbers = values.compactMap(\.number)
        guard !numbers.isEmpty else { return nil }
        let mean = numbers.reduce(0, +) / Double(numbers.count)
        let squares = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return .double((squares / Double(numbers.count)).squareRoot())
    }

    /// Each value once, in the order of the first.
    static func distinct(_ values: [PredicateValue]) -> [PredicateValue] {
        var seen = Set<PredicateValue>()
        return values.filter { seen.insert($0).inserted }
    }
}
