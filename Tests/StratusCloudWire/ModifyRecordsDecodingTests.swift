import StratusCloudModel
import StratusCloudWire
import Testing

struct ModifyRecordsDecodingTests {
    @Test func wholeRequest() throws {
        let decoded = try decoder.modifyRecords(
            #"""
            {"operations":[
              {"operationType":"create","desiredKeys":["a"],"recordType":"ignored",
               "record":{"recordName":"R","recordType":"Note","recordChangeTag":"1e","createShortGUID":true,
                 "pluginFields":{},"deleted":false,"created":{"timestamp":1},
                 "parent":{"recordName":"P"},
                 "fields":{"title":{"value":"Hi","type":"STRING"},"age":{"value":5}}}},
              {"operationType":"forceDelete","record":{"recordName":"Q","parent":null}}],
             "zoneID":{"zoneName":"Z","ownerName":"_o"},"atomic":true,"desiredKeys":[],"numbersAsStrings":true,
             "unknown":[1]}
            """#.bytes)
        #expect(decoded.options.numbersAsStrings)
        let create = RecordOperation(
            .create,
            RecordInput(
                recordName: "R", recordType: "Note", recordChangeTag: "1e",
                fields: [
                    ("title", FieldInput(.text("Hi"), declaredType: .scalar(.string))),
                    ("age", FieldInput(.integer(5))),
                ], parent: Reference(recordName: "P"), createShortGUID: true), desiredKeys: ["a"])
        let delete = RecordOperation(.forceDelete, RecordInput(recordName: "Q", clearsParent: true))
        #expect(
            decoded.request
                == ModifyRecordsRequest(
                    operations: [create, delete], zoneID: ZoneID(zoneName: "Z", ownerRecordName: "_o"), atomic: true,
                    desiredKeys: []))
    }

    @Test(arguments: [
        ("", "The body has no operations."),
        ("[]", "The body must be an object."),
        (#"{"operations":{}}"#, "operations must be an array."),
        (#"{"operations":[{}]}"#, "operations[0] has no operationType."),
        (
            #"{"operations":[{"operationType":"Create","record":{}}]}"#,
            "operations[0].operationType must be create, update, forceUpdate, replace, forceReplace, delete or "
                + "forceDelete."
        ),
        (#"{"operations":[{"operationType":"create"}]}"#, "operations[0] has no record."),
        (#"{"operations":[{"operationType":"create","record":[]}]}"#, "operations[0].record must be an object."),
        (
            #"{"operations":[{"operationType":"create","record":{"recordName":5}}]}"#,
            "operations[0].record.recordName must be a string."
        ),
        (#"{"operations":[],"atomic":"yes"}"#, "atomic must be true or false."),
        (#"{"operations":[],"zoneID":{}}"#, "zoneID has no zoneName."),
        (#"{"operations":[],"desiredKeys":["a",1]}"#, "desiredKeys[1] must be a string."),
    ])
    func refusals(body: String, expected: String) {
        #expect(reason(body) { (bytes) throws(CloudError) in try decoder.modifyRecords(bytes) } == expected)
    }

    @Test func fieldLimit() throws {
        func body(_ count: Int) -> String {
            modifyBody(fields: "{" + (0..<count).map { #""f\#($0)":{"value":1}"# }.joined(separator: ",") + "}")
        }
        #expect(try decoder.modifyRecords(body(1_000).bytes).request.operations[0].record.fields.count == 1_000)
        #expect(
            reason(body(1_001)) { (bytes) throws(CloudError) in try decoder.modifyRecords(bytes) }
                == "operations[0].record.fields has 1001 members; the limit is 1000.")
    }

    @Test func batchLimit() throws {
        let operation = #"{"operationType":"forceDelete","record":{"recordName":"R"}}"#
        func body(_ count: Int) -> String {
            #"{"operations":[\#(repeatElement(operation, count: count).joined(separator: ","))]}"#
        }
        #expect(try decoder.modifyRecords(body(200).bytes).request.operations.count == 200)
        #expect(
            reason(body(201)) { (bytes) throws(CloudError) in try decoder.modifyRecords(bytes) }
                == "Your request contains 201 operations which is more than the maximum number of operations in a "
                + "single request (200).")
    }
}
