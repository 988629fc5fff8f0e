import Foundation

/// A format with C's conversions, and Apple's notes on privacy in them. Values are Swift's own, so one that is not what
/// its conversion says is written all the same.
struct CFormat {
    private let format: Substring

    init(_ format: String) { self.format = format[...] }

    /// The format with values in the places of its conversions; those without a value stay as they are.
    func text(with values: [any CVarArg]) -> String {
        var text = ""
        var values = values[...]
        var rest = format
        while let percent = rest.firstIndex(of: "%") {
            text += rest[..<percent]
            rest = rest[percent...].dropFirst()
            if rest.first == "%" {
                text += "%"
                rest = rest.dropFirst()
            } else if let value = values.first, let conversion = Conversion(&rest) {
                values.removeFirst()
                text += conversion.text(of: value)
            } else {
                text += "%"
            }
        }
        return text + rest
    }

    private struct Conversion {
        var isHidden = false
        var modifiers = ""
        var letter: Character = "@"

        /// Reads what follows a percent sign; leaves it where it is no conversion.
        init?(_ rest: inout Substring) {
            var end = rest
            if end.first == "{", let close = end.firstIndex(of: "}") {
                let notes = end[..<close].dropFirst().split(whereSeparator: { ", ".contains($0) })
                isHidden = notes.contains { $0.hasPrefix("private") || $0.hasPrefix("sensitive") }
                end = end[close...].dropFirst()
            }
            modifiers = String(end.prefix { "0123456789.+-# ".contains($0) })
            end = end.dropFirst(modifiers.count)
            end = end.drop { "hlqLzjt".contains($0) }
            guard let letter = end.first, letter.isASCII, letter.isLetter || letter == "@" else { return nil }
            self.letter = letter
            rest = end.dropFirst()
        }

        func text(of value: any CVarArg) -> String {
            if isHidden { return "<private>" }
            switch value {
            case let number as any BinaryInteger where "dDiuUxXoO".contains(letter):
                return String(
                    format: "%\(modifiers)ll\(letter.lowercased() == "d" ? "d" : "\(letter)")",
                    Int64(truncatingIfNeeded: number))
            case let number as any BinaryFloatingPoint where "fFeEgGaA".contains(letter):
                return String(format: "%\(modifiers)\(letter)", Double(number))
            default: return "\(value)"
            }
        }
    }
}
