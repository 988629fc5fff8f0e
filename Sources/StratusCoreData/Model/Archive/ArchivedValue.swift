import Foundation
import StratusModelFiles

/// An object of Foundation in an archive as a value.
enum ArchivedValue {
    case date(Date)
    case decimal(Decimal)
    case string(String)
    case uuid(UUID)
    case url(URL)
    case data(Data)

    init?(_ object: ArchivedObject) {
        switch object.className {
        case "NSDate":
            guard let seconds = Self.number(object.value("NS.time")) else { return nil }
            self = .date(Date(timeIntervalSinceReferenceDate: seconds))
        case "NSDecimalNumber", "NSDecimalNumberPlaceholder":
            guard let number = Self.decimal(object) else { return nil }
            self = .decimal(number)
        case "NSString", "NSMutableString":
            guard case .string(let text)? = object.value("NS.string") else { return nil }
            self = .string(text)
        case "NSUUID":
            guard case .data(let bytes)? = object.value("NS.uuidbytes"), bytes.count == 16 else { return nil }
            self = .uuid(NSUUID(uuidBytes: bytes) as UUID)
        case "NSURL":
            guard let text = object.text("NS.relative"), let url = URL(string: text) else { return nil }
            self = .url(url)
        case "NSData", "NSMutableData":
            guard case .data(let bytes)? = object.value("NS.data") else { return nil }
            self = .data(Data(bytes))
        default: return nil
        }
    }

    static func number(_ node: PropertyListNode?) -> Double? {
        switch node {
        case .integer(let number)?: Double(number)
        case .double(let number)?, .date(let number)?: number
        default: nil
        }
    }

    /// A decimal number is archived as up to eight units of 16 bits, with the least significant one first.
    private static func decimal(_ object: ArchivedObject) -> Decimal? {
        guard case .data(let bytes)? = object.value("NS.mantissa"), bytes.count == 16 else { return nil }
        let length = object.number("NS.length")
        guard 0...8 ~= length, -128...127 ~= object.number("NS.exponent") else { return nil }
        let isLittleEndian = object.number("NS.mantissa.bo") != 2
        var mantissa = Decimal(0)
        for index in (0..<length).reversed() {
            let unit = [bytes[2 * index], bytes[2 * index + 1]]
            let high = isLittleEndian ? unit[1] : unit[0]
            let low = isLittleEndian ? unit[0] : unit[1]
            mantissa = mantissa * 65_536 + Decimal(Int(high) << 8 | Int(low))
        }
        let sign: FloatingPointSign = object.flag("NS.negative") ? .minus : .plus
        return Decimal(sign: sign, exponent: object.number("NS.exponent"), significand: mantissa)
    }
}
