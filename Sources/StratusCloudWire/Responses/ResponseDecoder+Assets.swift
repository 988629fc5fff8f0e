import StratusCloudModel

extension ResponseDecoder {
    /// The answer to `assets/upload`.
    public func uploadPlaces(_ body: [UInt8]) throws(CloudError) -> [UploadAssetsResult] {
        try read(body) { (body) throws(CloudError) in
            try read("tokens", of: body) { (item) throws(CloudError) in
                let fieldName = try item.text("fieldName") ?? ""
                guard item.member("serverErrorCode") == nil else {
                    return .failed(
                        recordName: try item.text("recordName"), fieldName: fieldName, try item.cloudError(in: zoneID))
                }
                return .place(
                    recordName: try item.required("recordName").string(), fieldName: fieldName,
                    url: try item.required("url").string())
            }
        }
    }

    /// The answer to `assets/rereference`.
    public func rereferencedAssets(_ body: [UInt8]) throws(CloudError) -> [RereferenceAssetsResult] {
        try read(body) { (body) throws(CloudError) in
            try read("assets", of: body) { (item) throws(CloudError) in
                guard item.member("serverErrorCode") == nil else {
                    let asked = RereferenceAssetsRequest.Item(
                        recordName: try item.text("recordName") ?? "", fieldName: try item.text("fieldName") ?? "")
                    return .failed(asked, try item.cloudError(in: zoneID))
                }
                return .asset(try item.asset())
            }
        }
    }

    /// The answer to the bytes of an upload.
    public func uploadedAsset(_ body: [UInt8]) throws(CloudError) -> Asset {
        try read(body) { (body) throws(CloudError) in try body.required("singleFile").asset() }
    }
}
