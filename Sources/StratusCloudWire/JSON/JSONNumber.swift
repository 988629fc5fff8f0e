/// Numbers in JSON's grammar: finding where one ends, and its exact value.
enum JSONNumber {
    /// Powers of ten that a double holds exactly.
    private static let exactPowers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]
    /// Decimal digits of any number below 2^53.
    private static let exactDigits = 15
    /// Decimal digits of any number that certainly fits 64 bits.
    private static let safeIntegerDigits = 18
    /// The greatest finite double has 309 digits before the point.
    private static let safeExponent = 308

    /// The end of the number at `start`. It is an integer if it has neither fraction nor exponent and fits 64 bits.
    static func scan(_ input: Span<UInt8>, at start: Int) throws(JSONSyntaxError) -> (end: Int, isInteger: Bool) {
        var index = start
        if input[index] == UInt8(ascii: "-") { index += 1 }
        let firstDigit = index
        index = endOfDigits(input, from: index)
        guard index > firstDigit else { throw JSONSyntaxError(message: "a number without digits", offset: start) }
        if input[firstDigit] == UInt8(ascii: "0"), index > firstDigit + 1 {
            throw JSONSyntaxError(message: "a number with a leading zero", offset: start)
        }
        var magnitude = index - firstDigit
        var isInteger = true
        if index < input.count, input[index] == UInt8(ascii: ".") {
            isInteger = false
            let fraction = index + 1
            index = endOfDigits(input, from: fraction)
            guard index > fraction else { throw JSONSyntaxError(message: "a number without digits", offset: start) }
        }
        if index < input.count, input[index] | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            let exponent = try exponent(input, at: &index)
            magnitude += exponent
        }
        guard index - start <= JSONLimits.numberLength else {
            throw JSONSyntaxError(message: "a number of more than 1024 characters", offset: start)
        }
        if magnitude > safeExponent, !slowDouble(input, start..<index).isFinite {
            throw JSONSyntaxError(message: "a number beyond the range of a double", offset: start)
        }
        if isInteger, magnitude > safeIntegerDigits { isInteger = int64(input, start..<index) != nil }
        return (index, isInteger)
    }

    private static func endOfDigits(_ input: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index < input.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= input[index] { index += 1 }
        return index
    }

    /// Reads the exponent whose `e` is at `index`, and moves behind it. Held within ±10,000, which decides as well.
    private static func exponent(_ input: Span<UInt8>, at index: inout Int) throws(JSONSyntaxError) -> Int {
        index += 1
        var isNegative = false
        if index < input.count, input[index] == UInt8(ascii: "+") || input[index] == UInt8(ascii: "-") {
            isNegative = input[index] == UInt8(ascii: "-")
            index += 1
        }
        let first = index
        index = endOfDigits(input, from: first)
        guard index > first else { throw JSONSyntaxError(message: "a number without digits", offset: first) }
        var value = 0
        for position in first..<index where value < 10_000 {
            value = value * 10 + Int(input[position] - UInt8(ascii: "0"))
        }
        return isNegative ? -min(value, 10_000) : min(value, 10_000)
    }

    /// The value of a scanned number without fraction and exponent, if it fits.
    static func int64(_ input: Span<UInt8>, _ range: Range<Int>) -> Int64? {
        var index = range.lowerBound
        let isNegative = input[index] == UInt8(ascii: "-")
        if isNegative { index += 1 }
        var value: Int64 = 0
        while index < range.upperBound {
            let digit = Int64(input[index] &- UInt8(ascii: "0"))
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.subtractingReportingOverflow(digit)
            if overflow || carry { return nil }
            value = sum
            index += 1
        }
        // Built below zero, where there is room for one value more.
        return isNegative ? value : value == .min ? nil : -value
    }

    /// The double nearest to a scanned number.
    static func double(_ input: Span<UInt8>, _ range: Range<Int>) -> Double {
        var index = range.lowerBound
        let isNegative = input[index] == UInt8(ascii: "-")
        if isNegative { index += 1 }
        guard range.upperBound - index <= exactDigits + 1 else { return slowDouble(input, range) }
        var digits: Int64 = 0
        var fraction = 0
        var behindPoint = false
        while index < range.upperBound {
            let byte = input[index]
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits = digits &* 10 &+ Int64(byte &- UInt8(ascii: "0"))
                if behindPoint { fraction += 1 }
            case UInt8(ascii: "."): behindPoint = true
            default: return slowDouble(input, range)
            }
            index += 1
        }
        guard behindPoint, digits < 1 << 53 else { return slowDouble(input, range) }
        // Both operands are exact, so the one rounding of the division gives the nearest double.
        let value = Double(digits) / exactPowers[fraction]
        return isNegative ? -value : value
    }

    private static func slowDouble(_ input: Span<UInt8>, _ range: Range<Int>) -> Double {
        var text = ""
        text.reserveCapacity(range.count)
        for index in range { text.unicodeScalars.append(Unicode.Scalar(input[index])) }
        return Double(text) ?? .nan
    }
}
