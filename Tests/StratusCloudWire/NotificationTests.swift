import StratusCloudModel
import StratusCloudWire
import Testing

@Suite struct NotificationTests {
    private func notification(_ kind: CloudNotification.Kind) throws -> CloudNotification {
        CloudNotification(
            notificationID: "N", container: try #require(ContainerIdentifier("iCloud.a")), scope: .private,
            subscriptionID: "S", userRecordName: "_u", kind: kind)
    }

    private func query(_ fields: FieldMap = [:]) throws -> CloudNotification {
        try notification(
            .query(
                recordName: "R", zoneID: ZoneID(zoneName: "Z", ownerRecordName: "_u"), .update, fields: fields))
    }

    @Test func everythingInItsPlace() throws {
        var told = try query([
            "s": Field(.scalar(.string("é"))), "l": Field(.list(of: .int64, elements: [.int64(1), .int64(2)])),
            "r": Field(.scalar(.reference(Reference(recordName: "T")))),
        ])
        told.body = .init("b", localizationKey: "K", localizationArguments: ["1", "2"])
        told.title = .init("t", localizationKey: "TK", localizationArguments: ["3"])
        told.subtitle = .init("s", localizationKey: "SK", localizationArguments: ["4"])
        told.actionLocalizationKey = "A"
        told.launchImage = "L"
        told.badge = 1
        told.soundName = "P"
        told.category = "C"
        told.isContentAvailable = true
        told.isMutableContent = true
        #expect(
            text(NotificationEncoder().payload(told))
                == #"{"aps":{"alert":{"body":"b","loc-key":"K","title":"t","title-loc-key":"TK","subtitle":"s","#
                + #""subtitle-loc-key":"SK","action-loc-key":"A","launch-image":"L","loc-args":["1","2"],"#
                + #""title-loc-args":["3"],"subtitle-loc-args":["4"]},"badge":1,"sound":"P","category":"C","#
                + #""content-available":1,"mutable-content":1},"ck":{"ce":2,"cid":"iCloud.a","nid":"N","ckuserid":"_u","#
                + #""qry":{"zid":"Z","zoid":"_u","rid":"R","dbs":1,"sid":"S","fo":2,"af":{"l":[1,2],"#
                + #""r":{"recordName":"T","action":"NONE"},"s":"é"}}}}"#)
    }

    @Test func zonesAndDatabases() throws {
        var zone = try notification(.zone(ZoneID(zoneName: "Z", ownerRecordName: "_u")))
        zone.isContentAvailable = true
        #expect(
            text(NotificationEncoder().payload(zone))
                == #"{"aps":{"content-available":1},"ck":{"ce":2,"cid":"iCloud.a","nid":"N","ckuserid":"_u","#
                + #""fet":{"zid":"Z","zoid":"_u","dbs":1,"sid":"S"}}}"#)
        var database = try notification(.database(ZoneID(zoneName: "Z")))
        database.scope = .shared
        #expect(
            text(NotificationEncoder().payload(database))
                == #"{"aps":{},"ck":{"ce":2,"cid":"iCloud.a","nid":"N","ckuserid":"_u","#
                + #""met":{"zid":"Z","zoid":"_defaultOwner","dbs":2,"sid":"S"}}}"#)
    }

    @Test func exactlyAtTheLimitNothingIsPruned() throws {
        var told = try query()
        told.subtitle = .init(String(repeating: "x", count: 100))
        let whole = NotificationEncoder().payload(told)
        #expect(NotificationEncoder(limit: whole.count).payload(told) == whole)
        let pruned = text(NotificationEncoder(limit: whole.count - 1).payload(told))
        #expect(pruned.contains(#""p":1"#))
        #expect(!pruned.contains("subtitle"))
        #expect(pruned.contains(#""rid":"R""#) && pruned.contains(#""fo":2"#))
    }

    @Test func whatMattersMostStays() throws {
        var told = try query(["f": Field(.scalar(.string(String(repeating: "f", count: 2_000))))])
        told.body = .init(String(repeating: "b", count: 2_000))
        told.title = .init(String(repeating: "t", count: 2_000))
        for (limit, kept) in [(9_000, "btf"), (5_000, "bf"), (3_000, "b"), (600, "")] {
            let payload = NotificationEncoder(limit: limit).payload(told)
            #expect(payload.count <= limit)
            let texts = text(payload)
            for letter in "btf" {
                #expect(texts.contains(String(repeating: letter, count: 2_000)) == kept.contains(letter), "\(limit)")
            }
            #expect(texts.contains(#""p":1"#) == (limit < 9_000))
            #expect(texts.contains(#""sid":"S""#) && texts.contains(#""rid":"R""#))
        }
    }
}
