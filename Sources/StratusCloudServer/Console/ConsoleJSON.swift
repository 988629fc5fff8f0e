import FoundationEssentials
import StratusCloudWire

/// A JSON value of the console's answers, in the order in which it is written.
indirect enum ConsoleJSON: Sendable {
    case object([(String, ConsoleJSON)])
    case array([ConsoleJSON])
    case string(String)
    case integer(Int64)
    case double(Double)
    case boolean(Bool)
    case null

    init(_ text: String?) { self = text.map { .string($0) } ?? .null }
    init(_ number: Int) { self = .integer(Int64(number)) }
    init(_ number: UInt64) { self = .integer(Int64(clamping: number)) }
    init(_ texts: [String]) { self = .array(texts.map { .string($0) }) }

    func write(to writer: inout JSONWriter) {
        switch self {
        case .object(let members):
            writer.beginObject()
            for (name, value) in members {
                writer.key(named: name)
                value.write(to: &writer)
            }
            writer.endObject()
        case .array(let elements):
            writer.beginArray()
            for element in elements { element.write(to: &writer) }
            writer.endArray()
        case .string(let text): writer.string(text)
        case .integer(let number): writer.integer(number)
        case .double(let number): writer.double(number)
        case .boolean(let value): writer.boolean(value)
        case .null: writer.null()
        }
    }

    /// As text.
    var bytes: [UInt8] {
        var writer = JSONWriter(capacity: 512)
        write(to: &writer)
        return writer.bytes
    }
}

extension ConsoleJSON: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByStringLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
    init(dictionaryLiteral elements: (String, ConsoleJSON)...) { self = .object(elements) }
    init(arrayLiteral elements: ConsoleJSON...) { self = .array(elements) }
    init(stringLiteral value: String) { self = .string(value) }
    init(booleanLiteral value: Bool) { self = .boolean(value) }
    init(nilLiteral: ()) { self = .null }
}
