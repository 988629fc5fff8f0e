import Foundation
import StratusCompatibility
import StratusSQLite

/// Kinds of values: those of different kinds are neither equal nor ordered.
enum SQLKind: Hashable {
    case number, string, date, data, uuid, url
    /// Data that may be in a file of its own.
    case external
    /// Keys of the rows of a root entity.
    case reference(String)
}

extension SQLKind {
    init(_ type: StorageType) {
        self =
            switch type {
            case .integer, .boolean, .double, .float, .decimal: .number
            case .string: .string
            case .date: .date
            case .data: .data
            case .externalData: .external
            case .uuid: .uuid
            case .url: .url
            case .reference(let name): .reference(name)
            }
    }

    /// The kind of a constant; nil if no column has values of it.
    init?(of value: PredicateValue) {
        switch value {
        case .bool, .integer, .unsigned, .double, .decimal: self = .number
        case .string: self = .string
        case .date: self = .date
        case .data: self = .data
        case .uuid: self = .uuid
        case .url: self = .url
        case .null, .location, .list, .dictionary, .object: return nil
        }
    }

    /// Returns a constant as a column of the kind has it; nil if no value of the kind equals it.
    func sqlite(_ value: PredicateValue) -> SQLiteValue? {
        switch (self, value) {
        case (.number, .bool(let value)): return .integer(value ? 1 : 0)
        case (.number, .integer(let value)): return .integer(value)
        case (.number, .unsigned(let value)): return .real(Double(value))
        case (.number, .double(let value)): return value.isNaN ? nil : .real(value)
        case (.number, .decimal(let value)):
            let number = NSDecimalNumber(decimal: value)
            let whole = number.int64Value
            return value.isNaN ? nil : Decimal(whole) == value ? .integer(whole) : .real(number.doubleValue)
        case (.string, .string(let value)): return .text(value)
        case (.date, .date(let value)): return .real(value.timeIntervalSinceReferenceDate)
        case (.data, .data(let value)): return .blob(Array(value))
        case (.uuid, .uuid(let value)): return .blob(withUnsafeBytes(of: value.uuid) { Array($0) })
        case (.url, .url(let value)): return .text(value.absoluteString)
        default: return nil
        }
    }

    /// Returns a value of a column of the kind; null if it is of another type. No function knows objects.
    func value(_ value: SQLiteValue) -> PredicateValue {
        switch (self, value) {
        case (.number, .integer(let value)): .integer(value)
        case (.number, .real(let value)): .double(value)
        case (.string, .text(let value)): .string(value)
        case (.date, .real(let value)): .date(Date(timeIntervalSinceReferenceDate: value))
        case (.date, .integer(let value)): .date(Date(timeIntervalSinceReferenceDate: Double(value)))
        case (.data, .blob(let value)): .data(Data(value))
        case (.uuid, .blob(let value)) where value.count == 16:
            .uuid(value.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
        case (.url, .text(let value)): URL(string: value).map { .url($0) } ?? .null
        default: .null
        }
    }
}

extension SQLKind {
    /// The kind as the functions of SQL get it.
    var code: Character {
        switch self {
        case .number: "n"
        case .string: "s"
        case .date: "d"
        case .data: "b"
        case .external: "x"
        case .uuid: "i"
        case .url: "u"
        case .reference: "r"
        }
    }

    init?(code: Character) {
        switch code {
        case "n": self = .number
        case "s": self = .string
        case "d": self = .date
        case "b": self = .data
        case "x": self = .external
        case "i": self = .uuid
        case "u": self = .url
        case "r": self = .reference("")
        default: return nil
        }
    }
}
