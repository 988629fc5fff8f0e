import Foundation

/// Fills a value up with spaces.
public struct OSLogStringAlignment: Hashable, Sendable {
    private let columns: Int
    private let isAtTheEnd: Bool

    /// As it is.
    public static let none = OSLogStringAlignment(columns: 0, isAtTheEnd: false)

    /// At the left of so many columns.
    public static func left(columns: Int) -> OSLogStringAlignment { .init(columns: columns, isAtTheEnd: false) }

    /// At the right of so many columns.
    public static func right(columns: Int) -> OSLogStringAlignment { .init(columns: columns, isAtTheEnd: true) }

    func applied(to text: String) -> String {
        let spaces = String(repeating: " ", count: max(0, min(columns, 1_024) - text.count))
        return isAtTheEnd ? spaces + text : text + spaces
    }
}

/// How a whole number is written.
public struct OSLogIntegerFormatting: Hashable, Sendable {
    private var radix = 10
    private var prefix = ""
    private var isUppercase = false
    private var minDigits = 0
    private var explicitPlus = false

    /// `255`
    public static let decimal = OSLogIntegerFormatting()
    /// `ff`
    public static let hex = OSLogIntegerFormatting(radix: 16)
    /// `377`
    public static let octal = OSLogIntegerFormatting(radix: 8)

    /// `+255`, `0255`
    public static func decimal(explicitPositiveSign: Bool = false, minDigits: Int = 0) -> OSLogIntegerFormatting {
        .init(minDigits: minDigits, explicitPlus: explicitPositiveSign)
    }

    /// `0xFF`
    public static func hex(
        explicitPositiveSign: Bool = false, includePrefix: Bool = false, uppercase: Bool = false, minDigits: Int = 0
    ) -> OSLogIntegerFormatting {
        .init(
            radix: 16, prefix: includePrefix ? "0x" : "", isUppercase: uppercase, minDigits: minDigits,
            explicitPlus: explicitPositiveSign)
    }

    /// `0o377`
    public static func octal(
        explicitPositiveSign: Bool = false, includePrefix: Bool = false, minDigits: Int = 0
    ) -> OSLogIntegerFormatting {
        .init(radix: 8, prefix: includePrefix ? "0o" : "", minDigits: minDigits, explicitPlus: explicitPositiveSign)
    }

    func text(of number: some FixedWidthInteger) -> String {
        let digits = String(number.magnitude, radix: radix, uppercase: isUppercase)
        let zeros = String(repeating: "0", count: max(0, min(minDigits, 1_024) - digits.count))
        return (number < 0 ? "-" : explicitPlus ? "+" : "") + prefix + zeros + digits
    }
}

/// How a number is written.
public struct OSLogFloatFormatting: Hashable, Sendable {
    private let conversion: String

    /// `1.500000`
    public static let fixed = OSLogFloatFormatting(conversion: "%f")
    /// `1.500000e+00`
    public static let exponential = OSLogFloatFormatting(conversion: "%e")
    /// `1.5`
    public static let hybrid = OSLogFloatFormatting(conversion: "%g")

    /// `1.50`
    public static func fixed(precision: Int) -> OSLogFloatFormatting { .init("f", precision) }
    /// `1.50e+00`
    public static func exponential(precision: Int) -> OSLogFloatFormatting { .init("e", precision) }
    /// `1.5`
    public static func hybrid(precision: Int) -> OSLogFloatFormatting { .init("g", precision) }

    private init(conversion: String) { self.conversion = conversion }

    private init(_ letter: String, _ precision: Int) { conversion = "%.\(max(0, min(precision, 100)))\(letter)" }

    func text(of number: Double) -> String { String(format: conversion, number) }
}

/// How a truth value is written.
public enum OSLogBoolFormat: Sendable {
    /// `true` or `false`
    case truth
    /// `YES` or `NO`
    case answer
}
