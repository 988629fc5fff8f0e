import StratusCloudModel
import StratusCloudWire

struct UploadAssetsTarget: RequestTarget {
    let name = "upload-assets"
    var corpus: [[UInt8]] {
        [
            #"{"zoneID":{"zoneName":"Z"},"tokens":[{"recordType":"T","fieldName":"f","recordName":"r"},{"fieldName":"g"}]}"#
        ]
        .map { Array($0.utf8) }
    }

    func decode(_ body: [UInt8]) throws(CloudError) -> UploadAssetsRequest { try RequestDecoder().uploadAssets(body) }

    func encode(_ request: UploadAssetsRequest) throws(CloudError) -> [UInt8] {
        try RequestEncoder().uploadAssets(request)
    }
}

struct RereferenceAssetsTarget: RequestTarget {
    let name = "rereference-assets"
    var corpus: [[UInt8]] {
        [#"{"assets":[{"recordName":"r","fieldName":"f"}],"zoneID":{"zoneName":"Y"},"targetZoneID":{"zoneName":"Z"}}"#]
            .map { Array($0.utf8) }
    }

    func decode(_ body: [UInt8]) throws(CloudError) -> RereferenceAssetsRequest {
        try RequestDecoder().rereferenceAssets(body)
    }

    func encode(_ request: RereferenceAssetsRequest) throws(CloudError) -> [UInt8] {
        try RequestEncoder().rereferenceAssets(request)
    }
}

/// Addresses of assets, to send bytes to and to fetch them from: whatever is not one of this cloud's is refused.
struct AssetAddressTarget: FuzzTarget {
    let name = "asset-address"
    var corpus: [[UInt8]] { FuzzCloud.shared.uploadTickets.map { Array($0.utf8) } }

    func run(_ input: [UInt8]) throws(BrokenPromise) -> Bool {
        let text = String(decoding: input, as: UTF8.self)
        guard !FuzzCloud.shared.canFetch(text) else { throw BrokenPromise(what: "an address for uploads gives bytes") }
        return FuzzCloud.shared.isUploadTicket(text)
    }
}
