import StratusCloudModel

/// Writes the bodies of answers, on the server.
///
/// Some keys are extensions of Apple's protocol, and stand where a client that does not know them passes over them:
/// - `exactReferenceSeconds` in the dictionary of a TIMESTAMP field (beside `timestamp` in a location): seconds since
///   2001-01-01 UTC with every bit, where the milliseconds cannot express them. In lists, an array of numbers and
///   nulls, one for each member. Clients may send it too; it must be within a millisecond of the value.
/// - `serverRecord` in the error of a record that changed or exists already: the stored record.
/// - `deletedRecordType` in a change feed's item of a deleted record: the type it had.
/// - `extensionErrorCode` in an error that clients must tell from others of its code: `CHANGE_TOKEN_EXPIRED`.
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
    static let expectedRecordSize = 1_024

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
