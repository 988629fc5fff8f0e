import StratusCloudModel
import StratusCloudWire
import StratusSeeds
import Testing

/// What one side writes, the other reads as the same.
struct RoundTripTests {
    private static let runs = 400

    @Test func records() throws {
        var random = SeededRandom(seed: Seed.draw())
        for _ in 0..<Self.runs {
            let record = random.record()
            let line = RecordLine.encode(record)
            #expect(!line.contains(0x0A))
            #expect(try RecordLine.decode(line) == record, "\(random)")
        }
    }

    @Test func recordResults() throws {
        var random = SeededRandom(seed: Seed.draw())
        let encoder = ResponseEncoder(context: WireContext(requestUUID: "U"))
        for _ in 0..<Self.runs {
            let results = random.list(upTo: 4) { $0.result() }
            let body = encoder.modifyRecords(results, syncToken: "t")
            #expect(try ResponseDecoder().recordResults(body) == results, "\(random)")
        }
    }

    @Test func numbersAsStrings() throws {
        var random = SeededRandom(seed: Seed.draw())
        let encoder = ResponseEncoder(
            context: WireContext(requestUUID: "U"), options: WireOptions(numbersAsStrings: true))
        for _ in 0..<Self.runs {
            let type: ScalarType = [.int64, .double][random.below(2)]
            var fields = FieldMap()
            fields["n"] = Field(.scalar(random.scalar(type)))
            fields["l"] = Field(.list(of: type, elements: random.list(upTo: 3) { $0.scalar(type) }))
            var record = random.record()
            record.fields = fields
            let page = QueryRecordsPage(records: [record], continuationMarker: random.maybe { $0.name() })
            #expect(try ResponseDecoder().recordPage(encoder.queryRecords(page)) == page, "\(random)")
        }
    }

    @Test func modifyRequests() throws {
        var random = SeededRandom(seed: Seed.draw())
        for _ in 0..<Self.runs {
            let request = ModifyRecordsRequest(
                operations: random.list(upTo: 4) { $0.operation() }, zoneID: random.maybe { $0.zoneID() },
                atomic: random.maybe { $0.below(2) == 0 }, desiredKeys: random.maybe { $0.list(upTo: 3) { $0.name() } },
                clientChangeToken: random.maybe { $0.list(upTo: 40) { UInt8($0.below(256)) } })
            let options = WireOptions(numbersAsStrings: random.below(2) == 0)
            let body = try RequestEncoder(options: options).modifyRecords(request)
            let decoded = try decoder.modifyRecords(body)
            #expect(decoded.request == request, "\(random)")
            #expect(decoded.options == options, "\(random)")
        }
    }

    /// Typed fields of a client's own process mean the same after the wire, whatever their type.
    @Test func typedFieldsInRequests() throws {
        var random = SeededRandom(seed: Seed.draw())
        for _ in 0..<Self.runs {
            let field = random.field()
            let operation = RecordOperation(.create, RecordInput(fields: [("f", FieldInput(field))]))
            let body = try RequestEncoder().modifyRecords(ModifyRecordsRequest(operations: [operation]))
            let input = try #require(try decoder.modifyRecords(body).request.operations.first?.record.fields.first)
            #expect(input.field == Self.afterTheWire(FieldInput(field)), "\(random)")
        }
    }

    /// What a server can know of a field before it looks at the schema.
    private static func afterTheWire(_ field: FieldInput) -> FieldInput {
        var field = field
        if case .list(let members) = field.value {
            field.value = .list(members.map(afterTheWire))
        } else {
            field.value = afterTheWire(field.value)
        }
        return field
    }

    private static func afterTheWire(_ value: InputValue) -> InputValue {
        switch value {
        case .scalar(.string(let text)): .text(text)
        case .scalar(.int64(let number)): .integer(number)
        case .scalar(.double(let number)): .decimal(number)
        case .scalar(.timestamp(let date)):
            date.exactReferenceSeconds == nil ? .integer(date.milliseconds) : value
        default: value
        }
    }

    @Test func queries() throws {
        var random = SeededRandom(seed: Seed.draw())
        for _ in 0..<Self.runs {
            let request = random.query()
            let body = try RequestEncoder().queryRecords(request)
            #expect(try decoder.queryRecords(body).request == request, "\(random)")
        }
    }

    @Test func lookupsAndZones() throws {
        var random = SeededRandom(seed: Seed.draw())
        for _ in 0..<Self.runs {
            let lookup = LookupRecordsRequest(
                items: random.list(upTo: 4) { random in
                    LookupRecordsRequest.Item(
                        recordName: random.text(), desiredKeys: random.maybe { $0.list(upTo: 3) { $0.name() } })
                }, zoneID: random.maybe { $0.zoneID() })
            #expect(try decoder.lookupRecords(RequestEncoder().lookupRecords(lookup)).request == lookup, "\(random)")
            let zones = random.list(upTo: 4) { $0.zoneID() }
            #expect(try decoder.lookupZones(RequestEncoder().lookupZones(zones)) == zones, "\(random)")
            let requestID = random.maybe { $0.name() }
            let operations = zones.map {
                ZoneOperation(
                    random.below(2) == 0 ? .create : .delete, $0, reason: ZoneDeletionReason.allCases[random.below(3)],
                    requestID: requestID)
            }
            #expect(try decoder.modifyZones(RequestEncoder().modifyZones(operations)) == operations, "\(random)")
            let results: [ZoneResult] = zones.map { zone in
                switch random.below(3) {
                case 0: .zone(Zone(zoneID: zone, syncToken: random.name(), atomic: random.below(2) == 0))
                case 1: .deleted(zone, ZoneDeletionReason.allCases[random.below(3)])
                default: .failed(zone, CloudError(.zoneNotFound, random.text()))
                }
            }
            let answer = ResponseEncoder(context: WireContext(requestUUID: "U")).zones(results)
            #expect(try ResponseDecoder().zoneResults(answer) == results, "\(random)")
        }
    }

    @Test func numbersThatAreNotFiniteAreNotSent() {
        for value in [InputValue.decimal(.nan), .scalar(.double(.infinity)), .list([.decimal(-.infinity)])] {
            let operation = RecordOperation(.create, RecordInput(fields: [("f", FieldInput(value))]))
            let error = #expect(throws: CloudError.self) {
                try RequestEncoder().modifyRecords(ModifyRecordsRequest(operations: [operation]))
            }
            #expect(error == CloudError(.badRequest, "The field f has a number that is not finite."))
        }
    }
}
