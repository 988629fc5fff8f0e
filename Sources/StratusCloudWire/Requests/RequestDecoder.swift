import StratusCloudModel

/// Reads the bodies of requests, on the server.
///
/// What clients are known to send is taken; what cannot be understood is refused with a
/// ``CloudError/Code/badRequest`` whose reason names the place, such as `operations[3].record.fields.age`, and never
/// a value. Keys without a meaning, and keys of records that only answers have, are ignored. An empty body reads as
/// `{}`. Rules about names, zones, schema and rights are not checked here.
public struct RequestDecoder: Sendable {
    /// Bytes of a body.
    public var bodyLimit: Int
    /// Operations, names or people in one request.
    public var operationLimit: Int
    /// Whether records may say who made and changed them and when. Only the operator's may; in everybody else's
    /// requests `created` and `modified` mean nothing, as at Apple.
    public var readsHistory = false

    /// Makes a decoder for bodies of at most so many bytes.
    public init(bodyLimit: Int = JSONLimits.textSize, operationLimit: Int = ModelLimits.operationsPerRequest) {
        self.bodyLimit = bodyLimit
        self.operationLimit = operationLimit
    }

    /// Opens a body, which must be an object.
    func open(_ body: [UInt8]) throws(CloudError) -> JSONReader {
        let reader = try JSONReader(body, limit: bodyLimit)
        try reader.requireObject()
        return reader
    }

    func options(_ body: JSONReader) throws(CloudError) -> WireOptions {
        WireOptions(numbersAsStrings: try body.flag(WireNames.numbersAsStrings) ?? false)
    }

    /// Refuses a list that is too long, before anything is made of its elements.
    func bounded(_ list: JSONReader, _ noun: StaticString) throws(CloudError) -> JSONElements {
        let elements = try list.elements()
        guard list.count <= operationLimit else {
            throw CloudError(
                .badRequest,
                """
                Your request contains \(list.count) \(noun) which is more than the maximum number of \(noun) \
                in a single request (\(operationLimit)).
                """)
        }
        return elements
    }
}
