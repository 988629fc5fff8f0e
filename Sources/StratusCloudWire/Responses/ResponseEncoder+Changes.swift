import StratusCloudModel

extension ResponseEncoder {
    /// The answer to `changes/zone`: one item for each zone, in their order, each in the form of its options.
    public func zoneChanges(_ results: [ZoneChangesResult], options: [WireOptions] = []) -> [UInt8] {
        var writer = ZoneChangesWriter(self, options: options)
        for result in results {
            switch result {
            case .page(let zoneID, let page): writer.write(page, of: zoneID)
            case .failed(let zoneID, let error): writer.refuse(zoneID, error)
            }
        }
        return writer.finish()
    }

    /// The answer to `records/changes`.
    public func recordChanges(_ page: ZoneChangesPage) -> [UInt8] {
        var writer = JSONWriter(capacity: 256 + page.changes.count * Self.expectedRecordSize)
        writer.beginObject()
        writeMembers(of: page, to: &writer)
        writer.key("reverse")
        writer.boolean(page.reverse)
        writer.endObject()
        return writer.bytes
    }

    /// The answer to `changes/records`.
    public func publicChanges(_ page: ZoneChangesPage) -> [UInt8] {
        var writer = JSONWriter(capacity: 256 + page.changes.count * Self.expectedRecordSize)
        writer.beginObject()
        writeMembers(of: page, to: &writer)
        writer.endObject()
        return writer.bytes
    }

    /// The answer to `changes/database`.
    public func databaseChanges(_ page: DatabaseChangesPage) -> [UInt8] {
        databaseChanges(page, tokens: ["syncToken"]) { write(changed: $0, to: &$1) }
    }

    /// The answer to `zones/changes`. The token is called `metaSyncToken` there; one client looks for `syncToken`.
    public func zonesChanges(_ page: DatabaseChangesPage) -> [UInt8] {
        databaseChanges(page, tokens: ["metaSyncToken", "syncToken"]) { write($0, to: &$1) }
    }

    private func databaseChanges(
        _ page: DatabaseChangesPage, tokens: [StaticString], write: (ZoneResult, inout JSONWriter) -> Void
    ) -> [UInt8] {
        var writer = JSONWriter(capacity: 256 + page.zones.count * 256)
        writer.beginObject()
        writer.key("zones")
        writer.beginArray()
        for zone in page.zones { write(zone, &writer) }
        writer.endArray()
        for token in tokens { writer.optional(token, page.syncToken) }
        writer.key("moreComing")
        writer.boolean(page.moreComing)
        writer.endObject()
        return writer.bytes
    }

    /// A zone with nothing but its name and whether it is gone.
    private func write(changed result: ZoneResult, to writer: inout JSONWriter) {
        guard case .zone(let zone) = result else { return write(result, to: &writer) }
        begin(zone.zoneID, &writer)
        writer.key("deleted")
        writer.boolean(false)
        writer.endObject()
    }

    private func writeMembers(of page: ZoneChangesPage, to writer: inout JSONWriter) {
        writer.key("records")
        writer.beginArray()
        var place = RecordPlace()
        for change in page.changes { write(change, to: &writer, &place) }
        writer.endArray()
        writer.key("syncToken")
        writer.string(page.syncToken)
        writer.key("moreComing")
        writer.boolean(page.moreComing)
        writer.optional(WireNames.clientChangeToken, base64: page.clientChangeToken)
    }

    /// An item of a feed.
    func write(_ change: RecordChange, to writer: inout JSONWriter, _ place: inout RecordPlace) {
        switch change {
        case .saved(let record): write(record, to: &writer, &place)
        case .deleted(let recordName, let recordType, let zoneID):
            writeTombstone(recordName, recordType, zoneID, to: &writer)
        }
    }
}
