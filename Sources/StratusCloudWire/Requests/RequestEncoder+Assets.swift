import StratusCloudModel

extension RequestEncoder {
    /// `assets/upload`.
    public func uploadAssets(_ request: UploadAssetsRequest) throws(CloudError) -> [UInt8] {
        try body { (writer) throws(CloudError) in
            writer.optional("zoneID", request.zoneID)
            writer.key("tokens")
            writer.beginArray()
            for item in request.items {
                writer.beginObject()
                writer.optional("recordName", item.recordName)
                writer.optional("recordType", item.recordType)
                writer.key("fieldName")
                writer.string(item.fieldName)
                writer.endObject()
            }
            writer.endArray()
        }
    }

    /// `assets/rereference`.
    public func rereferenceAssets(_ request: RereferenceAssetsRequest) throws(CloudError) -> [UInt8] {
        try body { (writer) throws(CloudError) in
            writer.optional("zoneID", request.zoneID)
            writer.optional("targetZoneID", request.targetZoneID)
            writer.key("assets")
            writer.beginArray()
            for item in request.items {
                writer.beginObject()
                writer.key("recordName")
                writer.string(item.recordName)
                writer.key("fieldName")
                writer.string(item.fieldName)
                writer.endObject()
            }
            writer.endArray()
        }
    }
}
