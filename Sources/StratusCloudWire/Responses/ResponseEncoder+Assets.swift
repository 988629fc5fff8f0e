import StratusCloudModel

extension ResponseEncoder {
    /// The answer to `assets/upload`: one item for each token, in their order.
    public func uploadAssets(_ results: [UploadAssetsResult]) -> [UInt8] {
        list("tokens", results, syncToken: nil) { result, writer in
            writer.beginObject()
            switch result {
            case .place(let recordName, let fieldName, let url):
                writer.key("recordName")
                writer.string(recordName)
                writer.key("fieldName")
                writer.string(fieldName)
                writer.key("url")
                writer.string(url)
            case .failed(let recordName, let fieldName, let error):
                writer.optional("recordName", recordName)
                writer.key("fieldName")
                writer.string(fieldName)
                writeMembers(of: error, to: &writer)
            }
            writer.endObject()
        }
    }

    /// The answer to `assets/rereference`: one item for each asset, in their order.
    public func rereferenceAssets(_ results: [RereferenceAssetsResult]) -> [UInt8] {
        list("assets", results, syncToken: nil) { result, writer in
            switch result {
            case .asset(let asset): writer.asset(asset)
            case .failed(let item, let error):
                writer.beginObject()
                writer.key("recordName")
                writer.string(item.recordName)
                writer.key("fieldName")
                writer.string(item.fieldName)
                writeMembers(of: error, to: &writer)
                writer.endObject()
            }
        }
    }

    /// The answer to the last bytes of an upload: the asset as it is saved in a record.
    public func uploadedAsset(_ asset: Asset) -> [UInt8] {
        var writer = JSONWriter(capacity: 512)
        writer.beginObject()
        writer.key("singleFile")
        writer.asset(asset)
        writer.endObject()
        return writer.bytes
    }

    /// The answer to bytes of an upload that is not complete: where it goes on.
    public func uploadOffset(_ offset: Int64) -> [UInt8] {
        var writer = JSONWriter(capacity: 64)
        writer.beginObject()
        writer.key("uploadOffset")
        writer.integer(offset)
        writer.endObject()
        return writer.bytes
    }
}
