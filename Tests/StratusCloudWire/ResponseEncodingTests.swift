import StratusCloudModel
import StratusCloudWire
import Testing

struct ResponseEncodingTests {
    private func record(_ fields: FieldMap = [:]) -> Record {
        Record(
            recordName: "R", recordType: "Note", zoneID: .default, recordChangeTag: "1e", fields: fields,
            created: RecordStamp(timestamp: 1_422_312_944_104, userRecordName: "_a"),
            modified: RecordStamp(timestamp: 1_422_312_944_105, userRecordName: "_b", deviceID: "Phone"))
    }

    private let zone = #"{"zoneName":"_defaultZone","ownerRecordName":"_me","zoneType":"DEFAULT_ZONE"}"#

    private func recordText(fields: String = "{}", more: String = "") -> String {
        #"{"recordName":"R","recordType":"Note","fields":\#(fields),"pluginFields":{},"recordChangeTag":"1e","#
            + #""created":{"timestamp":1422312944104,"userRecordName":"_a","deviceID":"iCloud"},"#
            + #""modified":{"timestamp":1422312944105,"userRecordName":"_b","deviceID":"Phone"},"#
            + #""deleted":false,"zoneID":\#(zone)\#(more)}"#
    }

    /// The one field `f` as an answer shows it.
    private func fieldText(_ field: Field, numbersAsStrings: Bool = false) -> String {
        let encoder = ResponseEncoder(
            context: WireContext(callerRecordName: "_me", requestUUID: "U"),
            options: WireOptions(numbersAsStrings: numbersAsStrings))
        let body = text(encoder.modifyRecords([.saved(record(["f": field]))]))
        let prefix = #"{"records":[{"recordName":"R","recordType":"Note","fields":{"f":"#
        let suffix = recordText(fields: "|").split(separator: "|", maxSplits: 1)[1] + "]}"
        #expect(body.hasPrefix(prefix) && body.hasSuffix("}" + suffix))
        return String(body.dropFirst(prefix.count).dropLast(suffix.count + 1))
    }

    @Test func records() {
        #expect(text(encoder.modifyRecords([.saved(record())])) == #"{"records":[\#(recordText())]}"#)
        var shared = record()
        shared.parent = Reference(recordName: "P")
        shared.share = Reference(recordName: "Share-1", zoneID: ZoneID(zoneName: "Z", ownerRecordName: "_o"))
        shared.shortGUID = "g"
        let more =
            #","parent":{"recordName":"P","action":"NONE"},"share":{"recordName":"Share-1","zoneID":{"zoneName":"Z","#
            + #""ownerRecordName":"_o","zoneType":"REGULAR_CUSTOM_ZONE"},"action":"NONE"},"shortGUID":"g""#
        #expect(
            text(encoder.lookupRecords([.saved(shared)], syncToken: "s"))
                == #"{"records":[\#(recordText(more: more))],"syncToken":"s"}"#)
    }

    @Test func pages() {
        #expect(text(encoder.queryRecords(QueryRecordsPage(records: []))) == #"{"records":[]}"#)
        let page = QueryRecordsPage(records: [record()], continuationMarker: "AA==")
        #expect(
            text(encoder.queryRecords(page, syncToken: "s"))
                == #"{"records":[\#(recordText())],"continuationMarker":"AA==","syncToken":"s"}"#)
    }

    /// What records of an answer have in common is made once, and not mixed up.
    @Test func recordsOfSeveralZones() {
        var other = record()
        other.zoneID = ZoneID(zoneName: "Z", ownerRecordName: "_o")
        let zones = [record(), record(), record(), other, other, other, record(), other]
        let otherText = recordText().replacing(
            zone, with: #"{"zoneName":"Z","ownerRecordName":"_o","zoneType":"REGULAR_CUSTOM_ZONE"}"#)
        let texts = zones.map { $0.zoneID == .default ? recordText() : otherText }
        #expect(
            text(encoder.queryRecords(QueryRecordsPage(records: zones)))
                == #"{"records":[\#(texts.joined(separator: ","))]}"#)
    }

    @Test(arguments: ["_a", #"_"a""#, "_ä\n"], ["iCloud", #"\"#])
    func stampsWithAnyTexts(user: String, device: String) {
        var changed = record()
        changed.created = RecordStamp(timestamp: -1, userRecordName: user, deviceID: device)
        changed.modified = RecordStamp(timestamp: 2, userRecordName: user, deviceID: device)
        func escaped(_ text: String) -> String {
            text.replacing(#"\"#, with: #"\\"#).replacing("\"", with: #"\""#).replacing("\n", with: #"\n"#)
        }
        let who = #""userRecordName":"\#(escaped(user))","deviceID":"\#(escaped(device))"}"#
        var unchanged = changed
        unchanged.modified = changed.created
        for (record, modified) in [(changed, 2), (unchanged, -1)] {
            let stamps = #""created":{"timestamp":-1,\#(who),"modified":{"timestamp":\#(modified),\#(who),"#
            #expect(text(encoder.modifyRecords([.saved(record)])).contains(stamps + #""deleted":false"#))
        }
    }

    @Test func tombstonesHaveNoType() {
        #expect(
            text(encoder.modifyRecords([.deleted(recordName: "R", zoneID: .default)]))
                == #"{"records":[{"recordName":"R","deleted":true,"zoneID":\#(zone)}]}"#)
    }

    @Test func errorsOfRecords() {
        let results: [RecordResult] = [
            .failed(recordName: "R", CloudError(.notFound, "Record not found")),
            .failed(recordName: nil, CloudError(.throttled, "slower \"please\"", retryAfter: 3)),
            .failed(recordName: "R", CloudError(.conflict, "c", serverRecord: record())),
        ]
        #expect(
            text(encoder.modifyRecords(results))
                == #"{"records":[{"recordName":"R","uuid":"U","serverErrorCode":"NOT_FOUND","#
                + #""reason":"Record not found"},{"recordName":"","uuid":"U","serverErrorCode":"THROTTLED","#
                + #""reason":"slower \"please\"","retryAfter":3},{"recordName":"R","uuid":"U","#
                + #""serverErrorCode":"CONFLICT","reason":"c","serverRecord":\#(recordText())}]}"#)
    }

    @Test(arguments: [
        (FieldValue.scalar(.string("a\"b")), #"{"value":"a\"b","type":"STRING"}"#),
        (.scalar(.int64(.max)), #"{"value":9223372036854775807,"type":"INT64"}"#),
        (.scalar(.double(5)), #"{"value":5.0,"type":"DOUBLE"}"#),
        (.scalar(.double(1e20)), #"{"value":1e+20,"type":"DOUBLE"}"#),
        (.scalar(.timestamp(Timestamp(milliseconds: -1))), #"{"value":-1,"type":"TIMESTAMP"}"#),
        (
            .scalar(.timestamp(Timestamp(milliseconds: 0, exactReferenceSeconds: -978_307_199.9999))),
            #"{"value":0,"exactReferenceSeconds":-978307199.9999,"type":"TIMESTAMP"}"#
        ),
        (.scalar(.bytes([0, 1, 255])), #"{"value":"AAH/","type":"BYTES"}"#),
        (
            .scalar(.location(Location(latitude: 1.5, longitude: -2))),
            #"{"value":{"latitude":1.5,"longitude":-2.0},"type":"LOCATION"}"#
        ),
        (
            .scalar(.reference(Reference(recordName: "P", action: .deleteSelf))),
            #"{"value":{"recordName":"P","action":"DELETE_SELF"},"type":"REFERENCE"}"#
        ),
        (
            .scalar(.asset(Asset(fileChecksum: "c", size: 5, downloadURL: "https://h/x?a=b"))),
            #"{"value":{"fileChecksum":"c","size":5,"downloadURL":"https://h/x?a=b"},"type":"ASSETID"}"#
        ),
        (.list(of: .string, elements: []), #"{"value":[],"type":"STRING_LIST"}"#),
        (.list(of: .int64, elements: [.int64(1), .int64(2)]), #"{"value":[1,2],"type":"INT64_LIST"}"#),
        (.list(of: .double, elements: []), #"{"value":[],"type":"DOUBLE_LIST"}"#),
        (.list(of: .bytes, elements: [.bytes([0])]), #"{"value":["AA=="],"type":"BYTES_LIST"}"#),
        (.list(of: .location, elements: []), #"{"value":[],"type":"LOCATION_LIST"}"#),
        (.list(of: .reference, elements: []), #"{"value":[],"type":"REFERENCE_LIST"}"#),
        (.list(of: .asset, elements: []), #"{"value":[],"type":"ASSETID_LIST"}"#),
        (
            .list(
                of: .timestamp,
                elements: [
                    .timestamp(Timestamp(milliseconds: 1)),
                    .timestamp(Timestamp(milliseconds: 0, exactReferenceSeconds: -978_307_199.9999)),
                ]), #"{"value":[1,0],"exactReferenceSeconds":[null,-978307199.9999],"type":"TIMESTAMP_LIST"}"#
        ),
    ])
    func fields(value: FieldValue, expected: String) {
        #expect(fieldText(Field(value)) == expected)
    }

    @Test(arguments: [
        (FieldValue.scalar(.string("x")), #"{"value":"x","type":"STRING","isEncrypted":true}"#),
        (.list(of: .int64, elements: []), #"{"value":[],"type":"INT64_LIST","isEncrypted":true}"#),
        (.scalar(.bytes([0])), #"{"value":"AA==","type":"ENCRYPTED_BYTES"}"#),
        (.list(of: .bytes, elements: []), #"{"value":[],"type":"ENCRYPTED_BYTES_LIST"}"#),
    ])
    func encryptedFields(value: FieldValue, expected: String) {
        #expect(fieldText(Field(value, isEncrypted: true)) == expected)
    }

    @Test(arguments: [
        (FieldValue.scalar(.int64(.min)), #"{"value":"-9223372036854775808","type":"INT64"}"#),
        (.scalar(.double(0.5)), #"{"value":"0.5","type":"DOUBLE"}"#),
        (.scalar(.timestamp(Timestamp(milliseconds: 7))), #"{"value":"7","type":"TIMESTAMP"}"#),
        (.list(of: .int64, elements: [.int64(1)]), #"{"value":["1"],"type":"INT64_LIST"}"#),
        (
            .scalar(.asset(Asset(fileChecksum: "c", size: 5))),
            #"{"value":{"fileChecksum":"c","size":5},"type":"ASSETID"}"#
        ),
    ])
    func numbersAsStrings(value: FieldValue, expected: String) {
        #expect(fieldText(Field(value), numbersAsStrings: true) == expected)
    }

    @Test func ownersWithoutACaller() {
        let encoder = ResponseEncoder(context: WireContext(requestUUID: "U"))
        #expect(
            text(encoder.zones([.deleted(ZoneID(zoneName: "Z"))]))
                == #"{"zones":[{"zoneID":{"zoneName":"Z","ownerRecordName":"_defaultOwner","#
                + #""zoneType":"REGULAR_CUSTOM_ZONE"},"deleted":true}]}"#)
    }

    @Test func zones() {
        let list = [Zone(zoneID: .default, syncToken: "s", atomic: false)]
        #expect(
            text(encoder.listZones(list))
                == #"{"zones":[{"zoneID":\#(zone),"syncToken":"s","atomic":false,"deleted":false}]}"#)
        #expect(text(encoder.zones([.zone(list[0])])) == text(encoder.listZones(list)))
        #expect(
            text(encoder.zones([.failed(.default, CloudError(.zoneNotFound, "no"))]))
                == #"{"zones":[{"zoneID":\#(zone),"uuid":"U","serverErrorCode":"ZONE_NOT_FOUND","reason":"no"}]}"#)
    }

    @Test func refusals() {
        #expect(
            text(encoder.error(CloudError(.authenticationRequired, "who?"), redirectURL: "https://h/s"))
                == #"{"uuid":"U","serverErrorCode":"AUTHENTICATION_REQUIRED","reason":"who?","#
                + #""redirectURL":"https://h/s"}"#)
        #expect(
            text(encoder.error(CloudError(.tryAgainLater, "later", retryAfter: 5)))
                == #"{"uuid":"U","serverErrorCode":"TRY_AGAIN_LATER","reason":"later","retryAfter":5}"#)
    }

    @Test func users() {
        let user = UserIdentity(userRecordName: "_u", givenName: "Ada", lookupInfo: .emailAddress("a@b"))
        let identity =
            #""userRecordName":"_u","nameComponents":{"givenName":"Ada"},"lookupInfo":{"emailAddress":"a@b"}"#
        #expect(text(encoder.caller(user)) == #"{\#(identity),"users":[{\#(identity)}]}"#)
        #expect(text(encoder.currentUser(user)) == #"{"userRecordName":"_u","firstName":"Ada"}"#)
        let hidden = UserIdentity(userRecordName: "_u")
        #expect(text(encoder.caller(hidden)) == #"{"userRecordName":"_u","users":[{"userRecordName":"_u"}]}"#)
    }
}
