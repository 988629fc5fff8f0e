import StratusCloudModel

extension RequestDecoder {
    /// `assets/upload`: at most ``ModelLimits/assetsPerRequest`` tokens.
    public func uploadAssets(_ body: [UInt8]) throws(CloudError) -> UploadAssetsRequest {
        let body = try open(body)
        let list = try body.required("tokens")
        var items: [UploadAssetsRequest.Item] = []
        for element in try bounded(list, "tokens") {
            items.append(
                UploadAssetsRequest.Item(
                    recordName: try element.text("recordName"), recordType: try element.text("recordType"),
                    fieldName: try element.required("fieldName").string()))
        }
        return UploadAssetsRequest(items: items, zoneID: try body.zoneID("zoneID"))
    }

    /// `assets/rereference`: at most ``ModelLimits/assetsPerRequest`` assets.
    public func rereferenceAssets(_ body: [UInt8]) throws(CloudError) -> RereferenceAssetsRequest {
        let body = try open(body)
        let list = try body.required("assets")
        var items: [RereferenceAssetsRequest.Item] = []
        for element in try bounded(list, "assets") {
            items.append(
                RereferenceAssetsRequest.Item(
                    recordName: try element.required("recordName").string(),
                    fieldName: try element.required("fieldName").string()))
        }
        return RereferenceAssetsRequest(
            items: items, zoneID: try body.zoneID("zoneID"), targetZoneID: try body.zoneID("targetZoneID"))
    }
}
