import CloudModel

/// Writes the bodies of answers, on the server.
public struct ResponseEncoder: Sendable {
    /// Who asks.
    public var context: WireContext
    /// What the request said about the form of its answer.
    public var options: WireOptions

    /// Makes the encoder of one request's answer.
    public init(context: WireContext, options: WireOptions = WireOptions()) {
        self.context = context
        self.options = options
    }

    var form: WireForm {
        WireForm(
            callerRecordName: context.callerRecordName, isComplete: true, numbersAsStrings: options.numbersAsStrings)
    }

    /// Bytes of a small record, to size the buffer.
    static let expectedRecordSize = 512

    /// An answer whose main part is an array: an object of the array, the sync token if there is one, and `more`.
    func list<Element>(
        _ name: StaticString, _ elements: [Element], syncToken: String?, more: (StaticString, String?)? = nil,
        write: (Element, inout JSONWriter) -> Void
    ) -> [UInt8] {
        var writer = JSONWriter(capacity: 256 + elements.count * Self.expectedRecordSize)
        writer.beginObject()
        writer.key(name)
        writer.beginArray()
        for element in elements { write(element, &writer) }
        writer.endArray()
        if let (key, value) = more { writer.optional(key, value) }
        writer.optional("syncToken", syncToken)
        writer.endObject()
        return writer.bytes
    }
}
