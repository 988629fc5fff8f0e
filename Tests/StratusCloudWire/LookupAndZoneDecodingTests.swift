import StratusCloudModel
import StratusCloudWire
import Testing

struct LookupAndZoneDecodingTests {
    @Test func lookup() throws {
        let decoded = try decoder.lookupRecords(
            #"""
            {"records":[{"recordName":"A","desiredKeys":["x"]},{"recordName":"B","assetPrivacyMaskType":"m"}],
             "zoneID":{"zoneName":"Z","zoneType":"REGULAR_CUSTOM_ZONE"},"desiredKeys":[],"numbersAsStrings":1}
            """#.bytes)
        let items = [
            LookupRecordsRequest.Item(recordName: "A", desiredKeys: ["x"]),
            LookupRecordsRequest.Item(recordName: "B"),
        ]
        #expect(
            decoded
                == Decoded(
                    LookupRecordsRequest(items: items, zoneID: ZoneID(zoneName: "Z"), desiredKeys: []),
                    options: WireOptions(numbersAsStrings: true)))
    }

    @Test(arguments: [
        ("{}", "The body has no records."), (#"{"records":["A"]}"#, "records[0] must be an object."),
        (#"{"records":[{"recordName":"A"},{}]}"#, "records[1] has no recordName."),
        (#"{"records":[{"recordName":null}]}"#, "records[0] has no recordName."),
    ])
    func lookupRefusals(body: String, expected: String) {
        #expect(reason(body) { (bytes) throws(CloudError) in try decoder.lookupRecords(bytes) } == expected)
    }

    @Test func lookupLimit() {
        let names = repeatElement(#"{"recordName":"A"}"#, count: 10_000).joined(separator: ",")
        #expect(
            reason(#"{"records":[\#(names)]}"#) { (bytes) throws(CloudError) in try decoder.lookupRecords(bytes) }
                == "Your request contains 10000 records which is more than the maximum number of records in a single "
                + "request (200).")
    }

    @Test func zoneIDsBareOrWrapped() throws {
        let zones = [ZoneID(zoneName: "Y", ownerRecordName: "_o"), ZoneID(zoneName: "Z")]
        #expect(
            try decoder.lookupZones(
                #"{"zones":[{"zoneName":"Y","ownerRecordName":"_o"},{"zoneID":{"zoneName":"Z"}}]}"#.bytes) == zones)
        #expect(
            try decoder.modifyZones(
                #"""
                {"operations":[{"operationType":"create","zone":{"zoneName":"Y","ownerRecordName":"_o"}},
                 {"operationType":"delete","zone":{"zoneID":{"zoneName":"Z"}}}],"atomic":true}
                """#.bytes) == [ZoneOperation(.create, zones[0]), ZoneOperation(.delete, zones[1])])
    }

    @Test func listingZonesTakesAnything() throws {
        #expect(try decoder.listZones([]) == WireOptions())
        #expect(try decoder.listZones(#"{"numbersAsStrings":true,"x":1}"#.bytes).numbersAsStrings)
    }

    @Test(arguments: [
        (
            #"{"operations":[{"operationType":"update","zone":{"zoneName":"Z"}}]}"#,
            "operations[0].operationType must be create or delete."
        ),
        (#"{"operations":[{"operationType":"create"}]}"#, "operations[0] has no zone."),
        (
            #"{"operations":[{"operationType":"create","zone":{"zoneID":{}}}]}"#,
            "operations[0].zone.zoneID has no zoneName."
        ),
        (
            #"{"operations":[{"operationType":"create","zone":{"zoneID":"Z"}}]}"#,
            "operations[0].zone.zoneID must be an object."
        ),
    ])
    func zoneRefusals(body: String, expected: String) {
        #expect(reason(body) { (bytes) throws(CloudError) in try decoder.modifyZones(bytes) } == expected)
    }
}
