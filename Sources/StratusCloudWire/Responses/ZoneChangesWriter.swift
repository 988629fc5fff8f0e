import StratusCloudModel

/// Writes the answer to `changes/zone` while its pages are read: one item for each zone, in their order, each in the
/// form of its options.
public struct ZoneChangesWriter: ZoneChangesReceiver, Sendable {
    private var encoder: ResponseEncoder
    private let options: [WireOptions]
    private var writer = JSONWriter(capacity: Self.firstRoom)
    private var place = RecordPlace()
    private var zone = 0
    private var zoneID = ZoneID.default
    /// Changes that the page has had, and may have.
    private var (count, expected) = (0, 0)
    /// Where the first change of the page begins.
    private var start = 0

    /// Records and deletions written.
    public private(set) var changes = 0
    /// Why zones have no page.
    public private(set) var refusals: [CloudError] = []

    /// Room made at first: that of a few records.
    private static let firstRoom = 8_192
    /// Changes after which room is made for the rest of a page, by their sizes.
    private static let sample = 4

    /// Begins an answer.
    public init(_ encoder: ResponseEncoder, options: [WireOptions] = []) {
        self.encoder = encoder
        self.options = options
        writer.beginObject()
        writer.key("zones")
        writer.beginArray()
    }

    /// See ``ZoneChangesReceiver``.
    public mutating func begin(_ zoneID: ZoneID, expecting count: Int) {
        beginZone(zoneID)
        writer.key("records")
        writer.beginArray()
        (start, self.count, expected) = (writer.count, 0, count)
    }

    /// See ``ZoneChangesReceiver``.
    public mutating func saved(_ record: some PackedRecord) throws {
        try encoder.write(record.head, to: &writer, &place) { try record.visitFields(&$0) }
        noteChange()
    }

    /// See ``ZoneChangesReceiver``.
    public mutating func deleted(recordName: String, recordType: String) {
        encoder.writeTombstone(recordName, recordType, zoneID, to: &writer)
        noteChange()
    }

    /// See ``ZoneChangesReceiver``.
    public mutating func end(syncToken: String, moreComing: Bool, reverse: Bool, clientChangeToken: [UInt8]?) {
        writer.endArray()
        writer.key("syncToken")
        writer.string(syncToken)
        writer.key("moreComing")
        writer.boolean(moreComing)
        if reverse {
            writer.key("reverse")
            writer.boolean(true)
        }
        writer.optional(WireNames.clientChangeToken, base64: clientChangeToken)
        writer.endObject()
    }

    /// See ``ZoneChangesReceiver``.
    public mutating func refuse(_ zoneID: ZoneID, _ error: CloudError) {
        beginZone(zoneID)
        encoder.writeMembers(of: error, to: &writer)
        writer.endObject()
        refusals.append(error)
    }

    /// The answer; to be called once, at the end.
    public mutating func finish() -> [UInt8] {
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// A page that is there as a value.
    mutating func write(_ page: ZoneChangesPage, of zoneID: ZoneID) {
        begin(zoneID, expecting: page.changes.count)
        for change in page.changes {
            encoder.write(change, to: &writer, &place)
            noteChange()
        }
        end(
            syncToken: page.syncToken, moreComing: page.moreComing, reverse: page.reverse,
            clientChangeToken: page.clientChangeToken)
    }

    private mutating func beginZone(_ zoneID: ZoneID) {
        if zone < options.count { encoder.options = options[zone] }
        zone += 1
        self.zoneID = zoneID
        // Of another form, perhaps.
        place = RecordPlace()
        encoder.begin(zoneID, &writer)
    }

    private mutating func noteChange() {
        changes += 1
        count += 1
        guard count == Self.sample else { return }
        let size = (writer.count - start) / Self.sample
        // An eighth more, because they are not all alike.
        writer.reserve((expected - Self.sample) * (size + size / 8) + Self.firstRoom)
    }
}
