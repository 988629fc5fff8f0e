import StratusCloudModel
import StratusCloudWire
import StratusSeeds
import Testing

/// The change feeds on the wire, both ways.
struct ChangesTests {
    /// Writes nobody's name where a zone has no owner, so that what is read back is the same.
    private let unowned = ResponseEncoder(context: WireContext(requestUUID: "U"))

    @Test func zoneChangesTakesEveryKey() throws {
        let decoded = try decoder.zoneChanges(
            #"""
            {"zones":[{"zoneID":{"zoneName":"Y","ownerName":"_o","zoneType":"REGULAR_CUSTOM_ZONE"},"syncToken":"t",
              "desiredKeys":[],"desiredRecordTypes":["T"],"resultsLimit":"5","numbersAsStrings":false,"reverse":true},
             {"zoneID":{"zoneName":"Z"},"syncToken":null,"desiredKeys":null}],
             "resultsLimit":7,"desiredKeys":["a"],"desiredRecordTypes":["U","V"],"numberAsStrings":true,"other":1}
            """#.bytes)
        #expect(
            decoded
                == DecodedZoneChanges(
                    [
                        ZoneChangesRequest(
                            zoneID: ZoneID(zoneName: "Y", ownerRecordName: "_o"), syncToken: "t", resultsLimit: 5,
                            desiredKeys: [], desiredRecordTypes: ["T"], reverse: true),
                        ZoneChangesRequest(
                            zoneID: ZoneID(zoneName: "Z"), resultsLimit: 7, desiredKeys: ["a"],
                            desiredRecordTypes: ["U", "V"]),
                    ],
                    options: [WireOptions(numbersAsStrings: false), WireOptions(numbersAsStrings: true)]))
    }

    @Test func theOlderFormsTakeTheirKeys() throws {
        let records = try decoder.recordChanges(
            #"{"zoneID":{"zoneName":"Z"},"syncToken":"t","resultsLimit":3,"numbersAsStrings":true,"reverse":true}"#
                .bytes)
        #expect(
            records.request
                == ZoneChangesRequest(
                    zoneID: ZoneID(zoneName: "Z"), syncToken: "t", resultsLimit: 3, reverse: true))
        #expect(records.options.numbersAsStrings)
        #expect(try decoder.databaseChanges([]) == DatabaseChangesRequest())
        let asked = #"{"syncToken":"s","metaSyncToken":"m","resultsLimit":99999999999999999}"#.bytes
        #expect(
            try decoder.databaseChanges(asked)
                == DatabaseChangesRequest(syncToken: "s", resultsLimit: 99_999_999_999_999_999))
        #expect(try decoder.zonesChanges(asked).syncToken == "m")
        #expect(try decoder.zonesChanges(#"{"syncToken":"s"}"#.bytes).syncToken == "s")
    }

    @Test(arguments: [
        ("{}", "The body has no zones."), (#"{"zones":[{}]}"#, "zones[0] has no zoneID."),
        (#"{"zones":[7]}"#, "zones[0] must be an object."),
        (#"{"zones":[{"zoneID":{"zoneName":"Z"},"syncToken":1}]}"#, "zones[0].syncToken must be a string."),
        (#"{"zones":[],"resultsLimit":"many"}"#, "resultsLimit must be an integer of at most 64 bits."),
    ])
    func refusals(body: String, expected: String) {
        #expect(reason(body) { (bytes) throws(CloudError) in try decoder.zoneChanges(bytes) } == expected)
    }

    @Test func tooManyZones() {
        let zones = repeatElement(#"{"zoneID":{"zoneName":"Z"}}"#, count: 201).joined(separator: ",")
        #expect(
            reason(#"{"zones":[\#(zones)]}"#) { (bytes) throws(CloudError) in try decoder.zoneChanges(bytes) }
                == "Your request contains 201 zones which is more than the maximum number of zones in a single "
                + "request (200).")
    }

    @Test func requestsReadBackAsTheyWere() throws {
        var random = SeededRandom(seed: Seed.draw())
        for _ in 0..<300 {
            let requests = random.list(upTo: 4) { $0.zoneChangesRequest() }
            let options = requests.map { _ in WireOptions(numbersAsStrings: random.below(2) == 0) }
            let body = try RequestEncoder().zoneChanges(requests, options: options)
            #expect(try decoder.zoneChanges(body) == DecodedZoneChanges(requests, options: options), "\(random)")
            let request = random.zoneChangesRequest()
            #expect(try decoder.recordChanges(RequestEncoder().recordChanges(request)).request == request, "\(random)")
            let zones = DatabaseChangesRequest(
                syncToken: random.maybe { $0.text() }, resultsLimit: random.maybe { $0.below(300) })
            #expect(try decoder.databaseChanges(RequestEncoder().databaseChanges(zones)) == zones, "\(random)")
            #expect(try decoder.zonesChanges(RequestEncoder().zonesChanges(zones)) == zones, "\(random)")
        }
    }

    @Test func answersReadBackAsTheyWere() throws {
        var random = SeededRandom(seed: Seed.draw())
        for _ in 0..<300 {
            let results = random.list(upTo: 4) { random -> ZoneChangesResult in
                let zone = random.zoneID()
                return random.below(4) == 0
                    ? .failed(zone, CloudError(.badRequest, random.text(), extensionCode: .changeTokenExpired))
                    : .page(zone, random.zoneChangesPage(in: zone))
            }
            #expect(try ResponseDecoder().zoneChanges(unowned.zoneChanges(results)) == results, "\(random)")
            let single = random.zoneChangesPage(in: random.zoneID())
            #expect(try ResponseDecoder().recordChanges(unowned.recordChanges(single)) == single, "\(random)")
            let page = DatabaseChangesPage(
                zones: random.list(upTo: 4) { random in
                    let zone = random.zoneID()
                    return random.below(2) == 0
                        ? .deleted(zone) : .zone(Zone(zoneID: zone, syncToken: random.name(), atomic: true))
                }, syncToken: random.name(), moreComing: random.below(2) == 0)
            #expect(try ResponseDecoder().databaseChanges(unowned.zonesChanges(page)) == page, "\(random)")
            let read = try ResponseDecoder().databaseChanges(unowned.databaseChanges(page))
            #expect(read.zones.count == page.zones.count && read.syncToken == page.syncToken, "\(random)")
        }
    }

    @Test func aTombstoneHasNoRecordType() {
        let zone = ZoneID(zoneName: "Z", ownerRecordName: "_me")
        let page = ZoneChangesPage(
            changes: [.deleted(recordName: "R", recordType: "T", zoneID: zone)], syncToken: "t", moreComing: true)
        let zoneText = #"{"zoneName":"Z","ownerRecordName":"_me","zoneType":"REGULAR_CUSTOM_ZONE"}"#
        let members =
            #""records":[{"recordName":"R","deleted":true,"zoneID":\#(zoneText),"deletedRecordType":"T"}],"#
            + #""syncToken":"t","moreComing":true"#
        #expect(text(encoder.zoneChanges([.page(zone, page)])) == #"{"zones":[{"zoneID":\#(zoneText),\#(members)}]}"#)
        #expect(text(encoder.recordChanges(page)) == #"{\#(members),"reverse":false}"#)
    }

    @Test func eachZoneHasNumbersAsItWants() {
        let zone = ZoneID(zoneName: "Z", ownerRecordName: "_me")
        let stamp = RecordStamp(timestamp: 1, userRecordName: "_me")
        let record = Record(
            recordName: "R", recordType: "T", zoneID: zone, recordChangeTag: "1",
            fields: ["n": Field(.scalar(.int64(5)))], created: stamp, modified: stamp)
        let page = ZoneChangesPage(changes: [.saved(record)], syncToken: "t", moreComing: false)
        let answer = text(
            encoder.zoneChanges(
                [.page(zone, page), .page(zone, page)],
                options: [WireOptions(numbersAsStrings: true), WireOptions(numbersAsStrings: false)]))
        #expect(answer.contains(#""n":{"value":"5","type":"INT64"}"#))
        #expect(answer.contains(#""n":{"value":5,"type":"INT64"}"#))
    }
}

extension SeededRandom {
    fileprivate mutating func zoneChangesRequest() -> ZoneChangesRequest {
        ZoneChangesRequest(
            zoneID: zoneID(), syncToken: maybe { $0.text() }, resultsLimit: maybe { $0.below(300) },
            desiredKeys: maybe { $0.list(upTo: 3) { $0.name() } },
            desiredRecordTypes: maybe { $0.list(upTo: 3) { $0.name() } }, reverse: below(2) == 0)
    }

    fileprivate mutating func zoneChangesPage(in zone: ZoneID) -> ZoneChangesPage {
        let changes = list(upTo: 4) { random -> RecordChange in
            guard random.below(3) == 0 else { return .saved(random.record()) }
            return .deleted(
                recordName: random.text(), recordType: random.maybe { $0.name() }, zoneID: random.zoneID())
        }
        return ZoneChangesPage(
            changes: changes, syncToken: name(), moreComing: below(2) == 0, reverse: below(2) == 0,
            clientChangeToken: maybe { random in random.list(upTo: 40) { UInt8($0.below(256)) } })
    }
}
