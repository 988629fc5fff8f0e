import StratusCloudModel

/// Writes the bodies of requests, in a client. What is written reads back on the server as the same request.
///
/// JSON has no words for infinities and NaN: a request with such a number is refused with a
/// ``CloudError/Code/badRequest`` that names the field.
public struct RequestEncoder: Sendable {
    /// Ask for numbers as strings in the answer.
    public var options: WireOptions

    /// Makes an encoder.
    public init(options: WireOptions = WireOptions()) {
        self.options = options
    }

    /// A body whose members `write` adds to.
    func body(_ write: (inout JSONWriter) throws(CloudError) -> Void) throws(CloudError) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        try write(&writer)
        if options.numbersAsStrings {
            writer.key(WireNames.numbersAsStrings)
            writer.boolean(true)
        }
        writer.endObject()
        return writer.bytes
    }
}

extension JSONWriter {
    mutating func optional(_ name: StaticString, _ zone: ZoneID?) {
        guard let zone else { return }
        key(name)
        zoneID(zone, .request)
    }

    mutating func optional(_ name: StaticString, _ flag: Bool?) {
        guard let flag else { return }
        key(name)
        boolean(flag)
    }

    mutating func optional(_ name: StaticString, _ texts: [String]?) {
        guard let texts else { return }
        key(name)
        beginArray()
        for text in texts { string(text) }
        endArray()
    }
}
