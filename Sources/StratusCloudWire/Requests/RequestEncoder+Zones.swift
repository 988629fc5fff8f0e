import StratusCloudModel

extension RequestEncoder {
    /// `zones/list`.
    public func listZones() throws(CloudError) -> [UInt8] {
        try body { _ in }
    }

    /// `zones/lookup`.
    public func lookupZones(_ zoneIDs: [ZoneID]) throws(CloudError) -> [UInt8] {
        try body { (writer) throws(CloudError) in
            writer.key("zones")
            writer.beginArray()
            for zoneID in zoneIDs { writer.zoneID(zoneID, .request) }
            writer.endArray()
        }
    }

    /// `zones/modify`. All operations have the name of the first one's request, or none.
    public func modifyZones(_ operations: [ZoneOperation]) throws(CloudError) -> [UInt8] {
        try body { (writer) throws(CloudError) in
            writer.key("operations")
            writer.beginArray()
            for operation in operations {
                writer.beginObject()
                writer.key("operationType")
                writer.string(operation.kind.rawValue)
                writer.key("zone")
                writer.beginObject()
                writer.key("zoneID")
                writer.zoneID(operation.zoneID, .request)
                writer.endObject()
                let reason = operation.reason == .deleted ? nil : operation.reason.rawValue
                writer.optional(WireNames.deletionReason, reason)
                writer.endObject()
            }
            writer.endArray()
            writer.optional("requestID", operations.first?.requestID)
        }
    }
}
