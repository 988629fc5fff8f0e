import StratusCloudModel
import StratusCloudWire
import Testing

struct FieldDecodingTests {
    @Test(arguments: [
        (#"{"value":null}"#, FieldInput(.null)),
        (#"{"value":null,"type":"STRING"}"#, FieldInput(.null, declaredType: .scalar(.string))),
        (#"{"value":true}"#, FieldInput(.boolean(true))),
        (#"{"value":9223372036854775807}"#, FieldInput(.integer(.max))),
        (#"{"value":-9223372036854775808,"type":"INT64"}"#, FieldInput(.integer(.min), declaredType: .scalar(.int64))),
        (#"{"value":9223372036854775808}"#, FieldInput(.largeInteger(9_223_372_036_854_775_808))),
        (#"{"value":-9223372036854775809}"#, FieldInput(.largeInteger(-9_223_372_036_854_775_808))),
        (#"{"value":9223372036854775808.0}"#, FieldInput(.decimal(9_223_372_036_854_775_808))),
        (#"{"value":9223372036854775807}"#, FieldInput(.integer(.max))),
        (#"{"value":2.5,"type":"DOUBLE"}"#, FieldInput(.decimal(2.5), declaredType: .scalar(.double))),
        (#"{"value":5,"type":"DOUBLE"}"#, FieldInput(.integer(5), declaredType: .scalar(.double))),
        (#"{"value":5.0,"type":"INT64"}"#, FieldInput(.integer(5), declaredType: .scalar(.int64))),
        (
            #"{"value":"9007199254740993","type":"INT64"}"#,
            FieldInput(.text("9007199254740993"), declaredType: .scalar(.int64))
        ),
        (
            #"{"value":1422312944104,"type":"TIMESTAMP"}"#,
            FieldInput(.integer(1_422_312_944_104), declaredType: .scalar(.timestamp))
        ),
        (
            #"{"value":"AAEC/w==","type":"BYTES"}"#,
            FieldInput(.scalar(.bytes([0, 1, 2, 255])), declaredType: .scalar(.bytes))
        ),
        (
            #"{"value":"AAEC\/w","type":"BYTES"}"#,
            FieldInput(.scalar(.bytes([0, 1, 2, 255])), declaredType: .scalar(.bytes))
        ),
        (#"{"value":"AAEC"}"#, FieldInput(.text("AAEC"))),
        (
            #"{"value":"AA==","type":"ENCRYPTED_BYTES"}"#,
            FieldInput(.scalar(.bytes([0])), declaredType: .scalar(.bytes), isEncrypted: true)
        ),
        (
            #"{"value":"x","type":"STRING","isEncrypted":true}"#,
            FieldInput(.text("x"), declaredType: .scalar(.string), isEncrypted: true)
        ),
        (#"{"value":"x","type":"STRING","isEncrypted":null}"#, FieldInput(.text("x"), declaredType: .scalar(.string))),
        (#"{"value":"x","type":null}"#, FieldInput(.text("x"))),
        (#"{"value":[],"type":"STRING_LIST"}"#, FieldInput(.list([]), declaredType: .list(.string))),
        (
            #"{"value":["AA=="],"type":"BYTES_LIST"}"#,
            FieldInput(.list([.scalar(.bytes([0]))]), declaredType: .list(.bytes))
        ),
        (
            #"{"value":["a",1],"type":"UNKNOWN_LIST"}"#,
            FieldInput(.list([.text("a"), .integer(1)]), declaredType: .list(nil))
        ),
        (#"{"value":["a"],"type":"STRING"}"#, FieldInput(.list([.text("a")]), declaredType: .scalar(.string))),
        (#"{"value":"x","unknown":[{}]}"#, FieldInput(.text("x"))),
    ])
    func values(json: String, expected: FieldInput) throws {
        #expect(try field(json) == expected)
    }

    @Test(arguments: [
        ("STRING", DeclaredType.scalar(.string)), ("INT64", .scalar(.int64)), ("INT", .scalar(.int64)),
        ("DOUBLE", .scalar(.double)), ("TIMESTAMP", .scalar(.timestamp)), ("DATETIME", .scalar(.timestamp)),
        ("BYTES", .scalar(.bytes)), ("BYTE", .scalar(.bytes)), ("LOCATION", .scalar(.location)),
        ("REFERENCE", .scalar(.reference)), ("ASSET", .scalar(.asset)), ("ASSETID", .scalar(.asset)),
        ("LIST", .list(nil)), ("UNKNOWN_LIST", .list(nil)), ("STRING_LIST", .list(.string)),
        ("INT64_LIST", .list(.int64)), ("DOUBLE_LIST", .list(.double)), ("TIMESTAMP_LIST", .list(.timestamp)),
        ("BYTES_LIST", .list(.bytes)), ("LOCATION_LIST", .list(.location)), ("REFERENCE_LIST", .list(.reference)),
        ("ASSET_LIST", .list(.asset)), ("ASSETID_LIST", .list(.asset)),
    ])
    func types(word: String, type: DeclaredType) throws {
        #expect(try field(#"{"value":null,"type":"\#(word)"}"#) == FieldInput(.null, declaredType: type))
    }

    @Test(arguments: [
        (
            #"{"value":{"latitude":90,"longitude":-180.0}}"#,
            ScalarValue.location(Location(latitude: 90, longitude: -180))
        ),
        (
            #"{"value":{"latitude":"1.5","longitude":2,"course":"270","altitude":-3,"timestamp":5},"type":"LOCATION"}"#,
            .location(
                Location(latitude: 1.5, longitude: 2, altitude: -3, course: 270, timestamp: Timestamp(milliseconds: 5)))
        ),
        (#"{"value":{"recordName":"R"}}"#, .reference(Reference(recordName: "R"))),
        (#"{"value":{"recordName":"R","action":null}}"#, .reference(Reference(recordName: "R"))),
        (#"{"value":{"recordName":"R","action":"None"}}"#, .reference(Reference(recordName: "R"))),
        (
            #"{"value":{"recordName":"R","action":"delete_self","zoneID":{"zoneName":"Z"}},"type":"REFERENCE"}"#,
            .reference(Reference(recordName: "R", zoneID: ZoneID(zoneName: "Z"), action: .deleteSelf))
        ),
        (
            #"{"value":{"recordName":"R","action":"VALIDATE"}}"#,
            .reference(Reference(recordName: "R", action: .validate))
        ),
        (
            #"{"value":{"fileChecksum":"c","size":"12","receipt":"r","referenceChecksum":"x","wrappingKey":"w"}}"#,
            .asset(Asset(fileChecksum: "c", size: 12, receipt: "r", referenceChecksum: "x", wrappingKey: "w"))
        ),
    ])
    func objects(json: String, expected: ScalarValue) throws {
        #expect(try field(json).value == .scalar(expected))
    }

    @Test func exactDates() throws {
        let exact = Timestamp(milliseconds: 1_422_312_944_104, exactReferenceSeconds: 444_005_744.10412345)
        #expect(
            try field(#"{"value":1422312944104,"exactReferenceSeconds":444005744.10412345}"#)
                == FieldInput(.scalar(.timestamp(exact))))
        #expect(
            try field(#"{"value":1422312944104,"exactReferenceSeconds":null,"type":"TIMESTAMP"}"#)
                == FieldInput(.integer(1_422_312_944_104), declaredType: .scalar(.timestamp)))
        let list = #""exactReferenceSeconds":[null,444005744.10412345]"#
        #expect(
            try field(#"{"value":[5,1422312944104],\#(list),"type":"TIMESTAMP_LIST"}"#)
                == FieldInput(.list([.integer(5), .scalar(.timestamp(exact))]), declaredType: .list(.timestamp)))
        let scalar = #""exactReferenceSeconds":444005744.10412345"#
        let place = try field(#"{"value":{"latitude":1,"longitude":2,"timestamp":1422312944104,\#(scalar)}}"#)
        #expect(place.value == .scalar(.location(Location(latitude: 1, longitude: 2, timestamp: exact))))
    }

    @Test(arguments: [
        ("5", " must be an object."), ("null", " must be an object."), ("{}", " has no value."),
        (#"{"type":"STRING"}"#, " has no value."), (#"{"value":1,"type":"NUMBER"}"#, ".type is not a known type."),
        (#"{"value":1,"type":"string"}"#, ".type is not a known type."),
        (#"{"value":1,"type":7}"#, ".type must be a string."),
        (#"{"value":"x","isEncrypted":"yes"}"#, ".isEncrypted must be true or false."),
        (#"{"value":9223372036854775808,"type":"INT64"}"#, ".value is an integer of more than 64 bits."),
        (#"{"value":[1,-9223372036854775809],"type":"INT64_LIST"}"#, ".value[1] is an integer of more than 64 bits."),
        (#"{"value":1.5,"type":"INT64"}"#, ".value must be an integer."),
        (#"{"value":1422312944104.5,"type":"TIMESTAMP"}"#, ".value must be an integer."),
        (#"{"value":"A","type":"BYTES"}"#, ".value must be base64."),
        (#"{"value":["AA==","A*=="],"type":"BYTES_LIST"}"#, ".value[1] must be base64."),
        (#"{"value":["a",null]}"#, ".value[1] must not be null in a list."),
        (#"{"value":[["a"]]}"#, ".value[0] must not be a list in a list."),
        (#"{"value":{}}"#, ".value is an object, but not a location, a reference or an asset."),
        (#"{"value":{"recordName":"R"},"type":"STRING"}"#, ".value is an object, but is declared as STRING."),
        (#"{"value":{"recordName":"R"},"type":"LOCATION"}"#, ".value has no latitude."),
        (#"{"value":{"latitude":1}}"#, ".value has no longitude."),
        (#"{"value":{"latitude":90.1,"longitude":0}}"#, ".value.latitude must lie between -90 and 90."),
        (#"{"value":{"latitude":0,"longitude":-181}}"#, ".value.longitude must lie between -180 and 180."),
        (#"{"value":{"latitude":"nan","longitude":0}}"#, ".value.latitude must be a number."),
        (#"{"value":{"latitude":" 1","longitude":0}}"#, ".value.latitude must be a number."),
        (#"{"value":{"latitude":"","longitude":0}}"#, ".value.latitude must be a number."),
        (#"{"value":{"latitude":1,"longitude":0,"timestamp":1.5}}"#, ".value.timestamp must be an integer."),
        (#"{"value":{"latitude":1,"longitude":0,"speed":true}}"#, ".value.speed must be a number."),
        (#"{"value":{"recordName":5}}"#, ".value.recordName must be a string."),
        (
            #"{"value":{"recordName":"R","action":"DELETE"}}"#,
            ".value.action must be NONE, DELETE_SELF or VALIDATE."
        ),
        (#"{"value":{"recordName":"R","zoneID":"Z"}}"#, ".value.zoneID must be an object."),
        (#"{"value":{"fileChecksum":"c"}}"#, ".value has no size."),
        (#"{"value":{"fileChecksum":"c","size":-1}}"#, ".value.size must not be negative."),
        (#"{"value":{"size":1},"type":"ASSET"}"#, ".value has no fileChecksum."),
        (
            #"{"value":0,"exactReferenceSeconds":5}"#,
            ".exactReferenceSeconds must be within a millisecond of the value beside it."
        ),
        (
            #"{"value":1422312944104,"exactReferenceSeconds":444005744.1065}"#,
            ".exactReferenceSeconds must be within a millisecond of the value beside it."
        ),
        (
            #"{"value":1422312944104,"exactReferenceSeconds":444005744.1025}"#,
            ".exactReferenceSeconds must be within a millisecond of the value beside it."
        ),
        (
            #"{"value":0,"type":"INT64","exactReferenceSeconds":5}"#,
            ".exactReferenceSeconds belongs to fields of type TIMESTAMP only."
        ),
        (
            #"{"value":[0,1],"exactReferenceSeconds":[null]}"#,
            ".exactReferenceSeconds must be an array as long as the value."
        ),
    ])
    func refusals(json: String, expected: String) {
        let body = modifyBody(fields: #"{"ok":{"value":1},"f":\#(json)}"#)
        #expect(
            reason(body) { (bytes) throws(CloudError) in try decoder.modifyRecords(bytes) }
                == "operations[0].record.fields.f\(expected)")
    }

    @Test func reasonsNeverShowValues() {
        for json in [#"{"value":"c2VjcmV0*","type":"BYTES"}"#, #"{"value":{"secret":"secret"}}"#] {
            let reason = reason(modifyBody(fields: #"{"f":\#(json)}"#)) { (bytes) throws(CloudError) in
                try decoder.modifyRecords(bytes)
            }
            #expect(!reason.contains("secret"))
            #expect(!reason.contains("c2Vj"))
        }
    }

    @Test func ownersThatMeanTheCaller() throws {
        for owner in ["", "_defaultOwner", "__defaultOwner__"] {
            for key in ["ownerRecordName", "ownerName"] {
                let zones = try decoder.lookupZones(#"{"zones":[{"zoneName":"Z","\#(key)":"\#(owner)"}]}"#.bytes)
                #expect(zones == [ZoneID(zoneName: "Z")])
            }
        }
    }
}
