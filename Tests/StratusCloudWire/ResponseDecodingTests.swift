import StratusCloudModel
import StratusCloudWire
import Testing

struct ResponseDecodingTests {
    private let responses = ResponseDecoder(zoneID: ZoneID(zoneName: "Z"))

    /// A record as Apple's service sends it: numbers without points, no zone, keys that mean nothing here.
    @Test func foreignRecord() throws {
        let stamp = #"{"timestamp":1422312944104,"userRecordName":"_u","deviceID":"1"}"#
        let results = try responses.recordResults(
            #"""
            {"records":[{"recordName":"R","recordType":"T","recordChangeTag":"e","created":\#(stamp),
              "modified":\#(stamp),"chainPrivateKey":"x","fields":{"d":{"value":5,"type":"DOUBLE"},
              "l":{"value":["a"],"type":"LIST"},"n":{"value":null,"type":"STRING"},"u":{"value":7},
              "t":{"value":"12","type":"TIMESTAMP"}}},{"recordName":"D","deleted":true}]}
            """#.bytes)
        let expected = RecordStamp(timestamp: 1_422_312_944_104, userRecordName: "_u", deviceID: "1")
        let zone = ZoneID(zoneName: "Z")
        let record = Record(
            recordName: "R", recordType: "T", zoneID: zone, recordChangeTag: "e",
            fields: [
                "d": Field(.scalar(.double(5))), "l": Field(.list(of: .string, elements: [.string("a")])),
                "u": Field(.scalar(.int64(7))), "t": Field(.scalar(.timestamp(Timestamp(milliseconds: 12)))),
            ], created: expected, modified: expected)
        #expect(results == [.saved(record), .deleted(recordName: "D", zoneID: zone)])
    }

    @Test func refusals() throws {
        let refusal = try responses.refusal(
            #"{"uuid":"U","serverErrorCode":"AUTHENTICATION_REQUIRED","reason":"r","redirectURL":"https://h"}"#.bytes)
        #expect(refusal.error == CloudError(.authenticationRequired, "r"))
        #expect(refusal.redirectURL == "https://h")
        #expect(refusal.uuid == "U")
        let unknown = try responses.refusal(#"{"serverErrorCode":"NEWER_ERROR","reason":"r","retryAfter":0.2}"#.bytes)
        #expect(unknown.error == CloudError(.internalError, "r", retryAfter: 1))
    }

    @Test(arguments: [
        ("<html>", "The body is not valid JSON: an invalid value at byte 0."),
        (#"{"zones":[]}"#, "The body has no records."), (#"{"records":[{}]}"#, "records[0] has no recordName."),
        (#"{"records":[{"recordName":"R","recordType":"T"}]}"#, "records[0] has no recordChangeTag."),
        (#"{"records":[{"recordName":"R","serverErrorCode":5}]}"#, "records[0].serverErrorCode must be a string."),
    ])
    func unreadable(body: String, expected: String) {
        let error = #expect(throws: CloudError.self) { try responses.recordResults(body.bytes) }
        #expect(error == CloudError(.internalError, "The answer cannot be read. \(expected)"))
    }

    @Test(arguments: [
        (#"{"value":"x","type":"INT64"}"#, "does not hold a value of its type"),
        (#"{"value":"inf","type":"DOUBLE"}"#, "does not hold a value of its type"),
        (#"{"value":5,"type":"STRING"}"#, "does not hold a value of its type"),
        (#"{"value":5,"type":"INT64_LIST"}"#, "is declared as a list, but holds none"),
        (#"{"value":[5],"type":"INT64"}"#, "is a list, but is not declared as one"),
    ])
    func fieldsThatContradictTheirType(field: String, expected: String) {
        let stamp = #"{"timestamp":1,"userRecordName":"_u"}"#
        let line =
            #"{"recordName":"R","recordType":"T","recordChangeTag":"e","created":\#(stamp),"modified":\#(stamp),"#
            + #""fields":{"f":\#(field)}}"#
        #expect(
            reason(line) { (bytes) throws(CloudError) in try RecordLine.decode(bytes) } == "fields.f \(expected).")
    }

    @Test func users() throws {
        let user = UserIdentity(
            userRecordName: "_u", givenName: "Ada", familyName: "L", lookupInfo: .emailAddress("a@b"))
        #expect(try responses.user(encoder.caller(user)) == user)
        #expect(try responses.user(#"{"users":[{"userRecordName":"_u"}]}"#.bytes).userRecordName == "_u")
        let current = UserIdentity(userRecordName: "_u", givenName: "Ada", familyName: "L")
        #expect(try responses.user(encoder.currentUser(user)) == current)
        #expect(throws: CloudError.self) { try responses.user(#"{"users":[]}"#.bytes) }
    }
}
