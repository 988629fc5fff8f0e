import StratusCloudModel

extension ResponseEncoder {
    /// The answer to `zones/list`.
    public func listZones(_ zones: [Zone]) -> [UInt8] {
        list("zones", zones, syncToken: nil) { write($0, to: &$1) }
    }

    /// The answer to `zones/lookup` and `zones/modify`: one item for each zone asked about, in their order.
    public func zones(_ results: [ZoneResult]) -> [UInt8] {
        list("zones", results, syncToken: nil) { write($0, to: &$1) }
    }

    func write(_ result: ZoneResult, to writer: inout JSONWriter) {
        switch result {
        case .zone(let zone): write(zone, to: &writer)
        case .deleted(let zoneID, let reason):
            begin(zoneID, &writer)
            writer.key("deleted")
            writer.boolean(true)
            writer.optional(WireNames.deletionReason, reason == .deleted ? nil : reason.rawValue)
            writer.endObject()
        case .failed(let zoneID, let error):
            begin(zoneID, &writer)
            writeMembers(of: error, to: &writer)
            writer.endObject()
        }
    }

    private func write(_ zone: Zone, to writer: inout JSONWriter) {
        begin(zone.zoneID, &writer)
        writer.key("syncToken")
        writer.string(zone.syncToken)
        writer.key("atomic")
        writer.boolean(zone.atomic)
        writer.key("deleted")
        writer.boolean(false)
        if let share = zone.share {
            writer.key("share")
            writer.reference(share, form)
        }
        writer.endObject()
    }

    func begin(_ zoneID: ZoneID, _ writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("zoneID")
        writer.zoneID(zoneID, form)
    }
}
