import StratusCloudModel
import StratusCloudWire

/// The JSON reader and writer: what is read and written again reads as the same.
struct JSONTarget: FuzzTarget {
    let name = "json"

    var corpus: [[UInt8]] {
        [
            #"{"a":[1,-2.5,3e8,true,false,null,"x\n\u00e9\ud83d\ude00"],"b":{"c":{}}}"#, "[]", #""text""#,
            "[9223372036854775807,-9223372036854775808,0.1,1e-7,123456789.125]",
            "{" + (1...18).map { #""k\#($0)":\#($0)"# }.joined(separator: ",") + "}", "[[[[[[[[1]]]]]]]]",
            #"{"é":"日本語","ß":"\"\\\/\b\f\n\r\t"}"#,
        ].map { Array($0.utf8) }
    }

    func run(_ input: [UInt8]) throws(BrokenPromise) -> Bool {
        let reader: JSONReader
        do { reader = try JSONReader(input) } catch { return false }
        do {
            let once = try Self.rewritten(reader)
            let twice = try Self.rewritten(try JSONReader(once))
            guard once == twice else { throw BrokenPromise(what: "a rewritten text reads differently") }
            return true
        } catch let error as BrokenPromise {
            throw error
        } catch {
            throw BrokenPromise(what: "a text that was read cannot be read again: \(error)")
        }
    }

    private static func rewritten(_ reader: JSONReader) throws(CloudError) -> [UInt8] {
        var writer = JSONWriter()
        try write(reader, to: &writer)
        return writer.bytes
    }

    private static func write(_ value: JSONReader, to writer: inout JSONWriter) throws(CloudError) {
        switch value.kind {
        case .null: writer.null()
        case .boolean: writer.boolean(try value.boolean())
        case .string: writer.string(try value.string())
        case .number:
            if let integer = value.integerIfExact { writer.integer(integer) } else { writer.double(try value.double()) }
        case .array:
            writer.beginArray()
            for element in try value.elements() { try write(element, to: &writer) }
            writer.endArray()
        case .object:
            writer.beginObject()
            for (name, member) in try value.members() {
                writer.key(named: name)
                try write(member, to: &writer)
            }
            writer.endObject()
        }
    }
}
