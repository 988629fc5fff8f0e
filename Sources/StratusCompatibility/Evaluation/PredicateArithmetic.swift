/// Arithmetic as in formats: whole numbers stay whole and become floating point only if they grow too large; a division
/// of whole numbers leaves the rest out. nil where there is no result: no numbers, or a whole number by zero.
enum PredicateArithmetic {
    static func add(_ a: PredicateValue, _ b: PredicateValue) -> PredicateValue? {
        apply(a, b, { $0.addingReportingOverflow($1) }, +, +)
    }

    static func subtract(_ a: PredicateValue, _ b: PredicateValue) -> PredicateValue? {
        apply(a, b, { $0.subtractingReportingOverflow($1) }, -, -)
    }

    static func multiply(_ a: PredicateValue, _ b: PredicateValue) -> PredicateValue? {
        apply(a, b, { $0.multipliedReportingOverflow(by: $1) }, *, *)
    }

    static func divide(_ a: PredicateValue, _ b: PredicateValue) -> PredicateValue? {
        if let divisor = b.whole, divisor == 0, a.whole != nil { return nil }
        return apply(a, b, { $0.dividedReportingOverflow(by: $1) }, /, /)
    }

    static func modulus(_ a: PredicateValue, _ b: PredicateValue) -> PredicateValue? {
        if let dividend = a.whole, let divisor = b.whole {
            return divisor == 0 ? nil : .integer(dividend.remainderReportingOverflow(dividingBy: divisor).partialValue)
        }
        guard let dividend = a.number, let divisor = b.number else { return nil }
        return .double(fmod(dividend, divisor))
    }

    static func power(_ a: PredicateValue, _ b: PredicateValue) -> PredicateValue? {
        guard let base = a.number, let exponent = b.number else { return nil }
        let result = pow(base, exponent)
        let isExact = abs(result) < 0x1p53 && a.whole != nil && b.whole != nil
        if isExact, let whole = Int64(exactly: result) { return .integer(whole) }
        return .double(result)
    }

    static func bits(
        _ a: PredicateValue, _ b: PredicateValue, _ operation: (Int64, Int64) -> Int64
    ) -> PredicateValue? {
        guard let a = a.whole, let b = b.whole else { return nil }
        return .integer(operation(a, b))
    }

    private static func apply(
        _ a: PredicateValue, _ b: PredicateValue, _ whole: (Int64, Int64) -> (partialValue: Int64, overflow: Bool),
        _ floating: (Double, Double) -> Double, _ decimal: (Decimal, Decimal) -> Decimal
    ) -> PredicateValue? {
        if let a = a.whole, let b = b.whole {
            let (value, overflow) = whole(a, b)
            return overflow ? .double(floating(Double(a), Double(b))) : .integer(value)
        }
        if case .decimal = a, let b = b.asDecimal { return a.asDecimal.map { .decimal(decimal($0, b)) } }
        if case .decimal = b, let a = a.asDecimal { return b.asDecimal.map { .decimal(decimal(a, $0)) } }
        // A number of seconds moves a date; between two dates there are seconds.
        if case .date(let date) = a, let seconds = b.number {
            return .date(
                Date(timeIntervalSinceReferenceDate: floating(date.timeIntervalSinceReferenceDate, seconds)))
        }
        if case .date(let a) = a, case .date(let b) = b {
            return .double(floating(a.timeIntervalSinceReferenceDate, b.timeIntervalSinceReferenceDate))
        }
        guard let a = a.number, let b = b.number else { return nil }
        return .double(floating(a, b))
    }
}

extension PredicateValue {
    /// A number without a fraction that is stored as one.
    var whole: Int64? {
        switch self {
        case .integer(let value): value
        case .bool(let value): value ? 1 : 0
        default: nil
        }
    }

    /// Any number as floating point.
    var number: Double? {
        switch self {
        case .bool(let value): value ? 1 : 0
        case .decimal(let value): NSDecimalNumber(decimal: value).doubleValue
        default: double
        }
    }

    /// Any number as a decimal one that holds it; floating point as it is written, so that 0.1 is a tenth.
    var asDecimal: Decimal? {
        switch self {
        case .decimal(let value): value
        case .integer(let value): Decimal(value)
        case .unsigned(let value): Decimal(value)
        case .bool(let value): Decimal(value ? 1 : 0)
        case .double(let value) where value == 0 || 1e-100...1e100 ~= abs(value): Decimal(string: "\(value)")
        default: nil
        }
    }
}
