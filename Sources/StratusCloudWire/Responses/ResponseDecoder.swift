import StratusCloudModel

/// Reads the bodies of answers, in a client.
///
/// An answer that cannot be understood is a ``CloudError/Code/internalError`` that names the place in it. Keys
/// without a meaning here are ignored.
public struct ResponseDecoder: Sendable {
    /// Bytes of a body.
    public var bodyLimit: Int
    /// The zone of items that do not say theirs: the one that was asked about.
    public var zoneID: ZoneID

    /// Makes the decoder of answers about one zone.
    public init(zoneID: ZoneID = .default, bodyLimit: Int = JSONLimits.answerSize) {
        self.zoneID = zoneID
        self.bodyLimit = bodyLimit
    }

    func read<Answer>(
        _ body: [UInt8], _ answer: (JSONReader) throws(CloudError) -> Answer
    ) throws(CloudError) -> Answer {
        do {
            let reader = try JSONReader(body, limit: bodyLimit)
            try reader.requireObject()
            return try answer(reader)
        } catch {
            throw CloudError(.internalError, "The answer cannot be read. \(error.reason)")
        }
    }

    func read<Item>(
        _ list: StaticString, of body: JSONReader, _ item: (JSONReader) throws(CloudError) -> Item
    ) throws(CloudError) -> [Item] {
        let list = try body.required(list)
        var items: [Item] = []
        items.reserveCapacity(list.count)
        for element in try list.elements() { items.append(try item(element)) }
        return items
    }
}
