import StratusCloudModel
import Testing

@testable import StratusCloudWire

/// The requests and answers about assets, both directions.
@Suite struct AssetCodingTests {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
    private let encoder = ResponseEncoder(context: WireContext(requestUUID: "U"))

    @Test func readsUploadRequests() throws {
        let request = try RequestDecoder().uploadAssets(
            bytes(
                #"{"zoneID":{"zoneName":"Z"},"tokens":[{"recordType":"T","fieldName":"f","recordName":"r"},"#
                    + #"{"fieldName":"g","recordType":null}]}"#))
        #expect(
            request
                == UploadAssetsRequest(
                    items: [.init(recordName: "r", recordType: "T", fieldName: "f"), .init(fieldName: "g")],
                    zoneID: ZoneID(zoneName: "Z")))
    }

    @Test(arguments: [
        ("{}", "tokens"), (#"{"tokens":{}}"#, "tokens"), (#"{"tokens":[{}]}"#, "tokens[0]"),
        (#"{"tokens":[{"fieldName":1}]}"#, "tokens[0].fieldName"),
        (#"{"tokens":[{"fieldName":"f","recordName":[]}]}"#, "tokens[0].recordName"),
        (#"{"tokens":[],"zoneID":{}}"#, "zoneName"),
    ])
    func refusesUploadRequestsByName(text: String, place: String) {
        let error = #expect(throws: CloudError.self) { try RequestDecoder().uploadAssets(bytes(text)) }
        #expect(error?.code == .badRequest && error?.reason.contains(place) == true)
    }

    @Test func requestsComeBackAsTheyWereWritten() throws {
        let upload = UploadAssetsRequest(
            items: [.init(recordName: "r", recordType: "T", fieldName: "f"), .init(fieldName: "g")],
            zoneID: ZoneID(zoneName: "Z", ownerRecordName: "_o"))
        #expect(try RequestDecoder().uploadAssets(try RequestEncoder().uploadAssets(upload)) == upload)
        let rereference = RereferenceAssetsRequest(
            items: [.init(recordName: "r", fieldName: "f")], zoneID: nil, targetZoneID: ZoneID(zoneName: "Y"))
        let body = try RequestEncoder().rereferenceAssets(rereference)
        #expect(try RequestDecoder().rereferenceAssets(body) == rereference)
    }

    @Test func answersComeBackAsTheyWereWritten() throws {
        let places: [UploadAssetsResult] = [
            .place(recordName: "r", fieldName: "f", url: "https://h/assets/upload/t"),
            .failed(recordName: nil, fieldName: "g", CloudError(.badRequest, "why")),
        ]
        #expect(try ResponseDecoder().uploadPlaces(encoder.uploadAssets(places)) == places)
        let asset = Asset(fileChecksum: "c", size: 5, receipt: "r", referenceChecksum: "x", wrappingKey: "w")
        let assets: [RereferenceAssetsResult] = [
            .asset(asset), .failed(.init(recordName: "r", fieldName: "f"), CloudError(.notFound, "why")),
        ]
        #expect(try ResponseDecoder().rereferencedAssets(encoder.rereferenceAssets(assets)) == assets)
        #expect(try ResponseDecoder().uploadedAsset(encoder.uploadedAsset(asset)) == asset)
    }

    @Test func assetsOfRecordsAreShownAsTheContextWants() {
        var context = WireContext(requestUUID: "U")
        context.showAsset = { asset, field, recordName, _ in
            var shown = asset
            shown.downloadURL = "https://h/\(recordName)/\(field)/\(asset.fileChecksum)"
            return shown
        }
        let stamp = RecordStamp(timestamp: 0, userRecordName: "_u")
        let assets = ["a", "b"].map { ScalarValue.asset(Asset(fileChecksum: $0, size: 1)) }
        let record = Record(
            recordName: "r", recordType: "T", zoneID: .default, recordChangeTag: "1",
            fields: ["f": Field(.scalar(assets[0])), "g": Field(.list(of: .asset, elements: assets))], created: stamp,
            modified: stamp)
        let error = CloudError(.conflict, "why", serverRecord: record)
        for result in [RecordResult.saved(record), .failed(recordName: "r", error)] {
            let text = String(decoding: ResponseEncoder(context: context).lookupRecords([result]), as: UTF8.self)
            for address in ["https://h/r/f/a", "https://h/r/g/a", "https://h/r/g/b"] { #expect(text.contains(address)) }
        }
    }
}
