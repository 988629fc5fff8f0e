extension PredicateEvaluator {
    /// What a function makes of its arguments; null if it cannot make anything of them.
    func call(_ name: String, _ arguments: [PredicateValue]) -> PredicateValue {
        guard let function = PredicateFunction(rawValue: name), function.arity == arguments.count else { return .null }
        switch arguments.count {
        case 0: return Self.call(function)
        case 1: return Self.ofList(function, arguments[0]) ?? Self.call(function, arguments[0]) ?? .null
        default: return Self.call(function, arguments[0], arguments[1]) ?? .null
        }
    }

    private static func call(_ function: PredicateFunction) -> PredicateValue {
        switch function {
        case .now: .date(Date())
        case .random: .integer(Int64.random(in: 0...Int64(Int32.max)))
        default: .null
        }
    }

    private static func ofList(_ function: PredicateFunction, _ argument: PredicateValue) -> PredicateValue? {
        guard let members = argument.members else { return nil }
        switch function {
        case .sum: return PredicateStatistics.sum(members)
        case .count: return .integer(Int64(members.count))
        case .min: return PredicateStatistics.least(members)
        case .max: return PredicateStatistics.greatest(members)
        case .average: return PredicateStatistics.average(members)
        case .median: return PredicateStatistics.median(members)
        case .mode: return PredicateStatistics.mode(members)
        case .standardDeviation: return PredicateStatistics.standardDeviation(members)
        case .distinct: return .list(PredicateStatistics.distinct(members))
        case .noIndex: return argument
        default: return nil
        }
    }

    private static func call(_ function: PredicateFunction, _ argument: PredicateValue) -> PredicateValue? {
        switch (function, argument) {
        case (.noIndex, _): return argument
        case (.uppercase, .string(let text)): return .string(text.uppercased())
        case (.lowercase, .string(let text)): return .string(text.lowercased())
        case (.canonical, .string(let text)):
            return .string(text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil))
        case (.length, .string(let text)): return .integer(Int64(text.utf16.count))
        case (.tokenize, .string(let text)): return tokens(text)
        case (.complement, _): return argument.whole.map { .integer(~$0) }
        case (.floor, .integer), (.ceiling, .integer), (.truncated, .integer): return argument
        case (.absolute, .integer(let value)): return PredicateValue(value.magnitude)
        case (.randomBelow, .integer(let value)) where value > 0: return .integer(.random(in: 0..<value))
        default: return argument.number.flatMap { call(function, $0) }.map { .double($0) }
        }
    }

    private static func call(_ function: PredicateFunction, _ number: Double) -> Double? {
        switch function {
        case .squareRoot: number.squareRoot()
        case .logarithm: log10(number)
        case .naturalLogarithm: log(number)
        case .exponential: exp(number)
        case .floor: number.rounded(.down)
        case .ceiling: number.rounded(.up)
        case .truncated: number.rounded(.towardZero)
        case .absolute: abs(number)
        default: nil
        }
    }

    private static func call(
        _ function: PredicateFunction, _ first: PredicateValue, _ second: PredicateValue
    ) -> PredicateValue? {
        switch function {
        case .add: return PredicateArithmetic.add(first, second)
        case .subtract: return PredicateArithmetic.subtract(first, second)
        case .multiply: return PredicateArithmetic.multiply(first, second)
        case .divide: return PredicateArithmetic.divide(first, second)
        case .modulus: return PredicateArithmetic.modulus(first, second)
        case .power: return PredicateArithmetic.power(first, second)
        case .bitwiseAnd: return PredicateArithmetic.bits(first, second, &)
        case .bitwiseOr: return PredicateArithmetic.bits(first, second, |)
        case .bitwiseXor: return PredicateArithmetic.bits(first, second, ^)
        case .shiftLeft: return PredicateArithmetic.bits(first, second) { $0 << $1 }
        case .shiftRight: return PredicateArithmetic.bits(first, second) { $0 >> $1 }
        case .distance:
            guard case .location(let first) = first, case .location(let second) = second else { return nil }
            return .double(first.distance(from: second))
        case .cast:
            guard case .string(let type) = second else { return nil }
            return first.cast(to: type)
        case .tokenizeUsing:
            guard case .string(let text) = first else { return nil }
            return tokens(text)
        default: return nil
        }
    }

    private static func tokens(_ text: String) -> PredicateValue {
        .list(PredicateTextMatch.tokens(of: text).map { .string($0) })
    }
}

extension PredicateValue {
    /// The value as one of a Foundation class; nil if it has no meaning as that.
    fileprivate func cast(to type: String) -> PredicateValue? {
        if let literal = PredicateValue(literal: self, type: type) { return literal }
        switch (type, self) {
        case ("NSDate", .date), ("NSString", .string), ("NSData", .data), ("NSUUID", .uuid), ("NSURL", .url),
            ("NSDecimalNumber", .decimal), ("NSArray", .list), ("NSDictionary", .dictionary),
            ("CLLocation", .location), ("NSNumber", .bool), ("NSNumber", .integer), ("NSNumber", .unsigned),
            ("NSNumber", .double):
            return self
        case ("NSDate", .string(let text)): return ISO8601DateFormatter().date(from: text).map { .date($0) }
        case ("NSNumber", .date(let date)): return .double(date.timeIntervalSinceReferenceDate)
        case ("NSNumber", .string(let text)):
            return Int64(text).map { .integer($0) } ?? Double(text).map { .double($0) }
        case ("NSDecimalNumber", _): return asDecimal.map { .decimal($0) }
        case ("NSString", .uuid(let uuid)): return .string(uuid.uuidString)
        case ("NSString", .url(let url)): return .string(url.absoluteString)
        case ("NSString", .integer), ("NSString", .unsigned), ("NSString", .double), ("NSString", .decimal):
            return object.map { .string("\($0)") }
        default: return nil
        }
    }
}
