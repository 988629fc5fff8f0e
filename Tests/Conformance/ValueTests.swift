import StratusTestSupport
import Testing

/// Every field type, there and back.
@Suite("Field values")
struct ValueTests {
    let tenant: Tenant
    let database: Database

    init() async throws {
        tenant = try await Tenant.shared("Values")
        database = tenant.privateDatabase
    }

    /// A value that is sent with its type and must come back equal.
    struct Sample: Sendable, CustomTestStringConvertible {
        let type: String
        let value: JSON
        var testDescription: String { "\(type) \(value.text.prefix(40))" }

        init(_ type: String, _ value: JSON) { (self.type, self.value) = (type, value) }
    }

    static let scalars: [Sample] = [
        Sample("STRING", ""), Sample("STRING", "plain"), Sample("STRING", "quote\" back\\ slash/ tab\t line\n"),
        Sample("STRING", "\u{0}\u{1F}\u{7F}\u{2028}"), Sample("STRING", "日本語 🇩🇪 👩‍👩‍👧 e\u{301} é \u{10FFFF}"),
        Sample("STRING", "</script><!-- ' OR 1=1 --"), Sample("INT64", 0), Sample("INT64", -1),
        Sample("INT64", .int(Int64.max)), Sample("INT64", .int(Int64.min)), Sample("INT64", 9_007_199_254_740_993),
        Sample("DOUBLE", 0.1), Sample("DOUBLE", -2.5e-300), Sample("DOUBLE", 1.7976931348623157e308),
        Sample("DOUBLE", .number("5e-324")), Sample("DOUBLE", 123_456_789.012_345_67), Sample("TIMESTAMP", 0),
        Sample("TIMESTAMP", 1_422_312_944_104), Sample("TIMESTAMP", -62_135_596_800_000),
        Sample("TIMESTAMP", 253_402_300_799_999), Sample("BYTES", ""), Sample("BYTES", "AAECAwT/"),
        Sample("BYTES", "/+8="), Sample("BYTES", "AA=="), Sample("LOCATION", ["latitude": 52.5, "longitude": -13.25]),
        Sample("LOCATION", ["latitude": -90.0, "longitude": 180.0]), Sample("LOCATION", fullLocation),
        Sample("REFERENCE", ["recordName": "target", "action": "NONE"]),
    ]

    private static let fullLocation: JSON = [
        "latitude": 1.5, "longitude": 2.5, "horizontalAccuracy": 3.5, "verticalAccuracy": 4.5, "altitude": -5.5,
        "speed": 6.5, "course": 7.5, "timestamp": 1_422_312_944_104,
    ]

    static let lists: [Sample] = [
        Sample("STRING_LIST", ["b", "a", "b", ""]), Sample("INT64_LIST", [.int(Int64.max), .int(Int64.min), 0]),
        Sample("DOUBLE_LIST", [0.5, -0.25]), Sample("TIMESTAMP_LIST", [1_422_312_944_104, 0]),
        Sample("BYTES_LIST", ["AAEC", "", "/w=="]),
        Sample("LOCATION_LIST", [["latitude": 1.5, "longitude": 2.5], fullLocation]),
        Sample("REFERENCE_LIST", [["recordName": "a", "action": "NONE"], ["recordName": "b", "action": "NONE"]]),
    ]

    /// Whether what came is what was sent: numbers by value, objects by the members that were sent.
    private func isSame(_ sent: JSON, _ came: JSON) -> Bool {
        switch (sent, came) {
        case (.number, .number): return sent.int.map { $0 == came.int } ?? (sent.double == came.double)
        case (.array(let left), .array(let right)):
            return left.count == right.count && zip(left, right).allSatisfy { isSame($0, $1) }
        case (.object(let members), .object):
            return members.allSatisfy { key, value in
                value.double != nil ? value.double == came[key].double : isSame(value, came[key])
            }
        default: return sent == came
        }
    }

    private func expectField(_ record: JSON, _ sample: Sample, at location: SourceLocation = #_sourceLocation) {
        let field = record["fields"]["f"]
        #expect(field["type"].string == sample.type, "\(record)", sourceLocation: location)
        #expect(isSame(sample.value, field["value"]), "\(sample.value) ≠ \(field)", sourceLocation: location)
    }

    @Test(
        "Case 61: each type and its list comes back equal from saves, lookups and queries", arguments: scalars + lists)
    func case61(sample: Sample) async throws {
        let type = Unique.name("Typed")
        let change = Change.create(type, Unique.name("r"), ["f": Fields.typed(sample.type, sample.value)])
        let saved = try await database.save(change)
        expectField(saved, sample)
        let found = try await database.find(saved.name)
        expectField(found, sample)
        #expect(found["fields"] == saved["fields"])
        #expect(try await database.queryAll(type).map { $0["fields"] } == [saved["fields"]])
    }

    @Test("An empty list of a known field is kept as an empty list", arguments: lists)
    func emptyList(sample: Sample) async throws {
        let type = Unique.name("Typed")
        _ = try await database.save(
            Change.create(type, Unique.name("r"), ["f": Fields.typed(sample.type, sample.value)]))
        for field in [Fields.typed(sample.type, []), ["value": []]] {
            let saved = try await database.save(Change.create(type, Unique.name("r"), ["f": field]))
            #expect(saved["fields"]["f"] == ["type": .string(sample.type), "value": []])
            try await expectUnchanged(saved, in: database)
        }
    }

    @Test("Case 62: types that are not sent are inferred and always answered")
    func case62() async throws {
        let values: [String: JSON] = [
            "string": "text", "whole": 42, "fraction": 4.25, "yes": true, "no": false, "texts": ["a"],
            "numbers": [1, 2],
            "place": ["latitude": 1.5, "longitude": 2.5], "link": ["recordName": "x", "action": "NONE"],
        ]
        let record = try await database.save(
            Change.create(Unique.name("Inferred"), Unique.name("r"), Fields.untyped(values)))
        let types = record["fields"].object?.mapValues { $0["type"].string }
        #expect(
            types == [
                "string": "STRING", "whole": "INT64", "fraction": "DOUBLE", "yes": "INT64", "no": "INT64",
                "texts": "STRING_LIST", "numbers": "INT64_LIST", "place": "LOCATION", "link": "REFERENCE",
            ])
        #expect(record.value("yes") == 1 && record.value("no") == 0)
        #expect(record.value("fraction") == 4.25)
    }

    @Test("Case 62: a value without a type takes the type of the field")
    func inferredFromSchema() async throws {
        let type = Unique.name("Known")
        let fields: JSON = [
            "date": Fields.typed("TIMESTAMP", 1), "double": Fields.typed("DOUBLE", 0.5),
            "bytes": Fields.typed("BYTES", "AA=="),
            "dates": Fields.typed("TIMESTAMP_LIST", [1]), "doubles": Fields.typed("DOUBLE_LIST", [0.5]),
        ]
        let record = try await database.save(Change.create(type, Unique.name("r"), fields))
        let untyped = Fields.untyped([
            "date": 1_422_312_944_104, "double": 3, "bytes": "AAEC", "dates": [2], "doubles": [4],
        ])
        let changed = try await database.save(Change.update(record, untyped))
        for (name, field) in fields.object ?? [:] { #expect(changed["fields"][name]["type"] == field["type"]) }
        #expect(changed.value("double").double == 3)
        #expect(changed.value("bytes") == "AAEC")
        #expect(changed.value("dates") == [2])
    }

    @Test("An integer beyond 64 bits without a type is a value of a DOUBLE field, and of no other")
    func largeIntegers() async throws {
        let (type, name) = (Unique.name("Large"), Unique.name("r"))
        let fields: JSON = ["d": Fields.typed("DOUBLE", 0.5), "i": Fields.typed("INT64", 1)]
        let record = try await database.save(Change.create(type, name, fields))
        func change(_ field: String, _ number: String) async throws -> Answer {
            let change = Change.forceUpdate(type, name, Fields.untyped([field: "HERE"])).text
            return try await database.post(
                "records/modify", text: "{\"operations\":[\(change.replacing("\"HERE\"", with: number))]}")
        }
        for number in ["9223372036854775808", "-9223372036854775809"] {
            let item = try await change("i", number).records.first ?? .absent
            expectFailed(item, "BAD_REQUEST", "'i'", "INT64")
            let other = try await change("fresh", number).records.first ?? .absent
            expectFailed(other, "BAD_REQUEST", "'fresh'", "64 bits")
        }
        try await expectUnchanged(record, in: database)
        let saved = try #require(expectSaved(try await change("d", "100000000000000000000"), count: 1).first)
        #expect(saved.value("d").double == 1e20)
    }

    @Test("Case 63: numbersAsStrings answers numbers as strings, losing nothing")
    func case63() async throws {
        let type = Unique.name("Numbers")
        let fields: JSON = [
            "i": Fields.typed("INT64", .int(Int64.max)), "d": Fields.typed("DOUBLE", 0.1),
            "l": Fields.typed("INT64_LIST", [1, .int(Int64.min)]), "s": Fields.typed("STRING", "7"),
        ]
        let option: JSON = ["numbersAsStrings": true]
        let name = Unique.name("r")
        let saved = try await database.modify([Change.create(type, name, fields)], option).records
        let found = try await database.lookup([name], option).records
        let queried = try await database.query(type, option).records
        for record in [saved, found, queried].compactMap(\.first) {
            #expect(record.value("i").string == String(Int64.max))
            #expect(record.value("d").string.flatMap(Double.init) == 0.1)
            #expect(record.value("l") == ["1", .string(String(Int64.min))])
            #expect(record["fields"]["i"]["type"] == "INT64")
            #expect(record["created"]["timestamp"].int != nil || record["created"]["timestamp"].string != nil)
        }
        #expect(try await database.find(name).value("i") == .int(Int64.max))
    }

    @Test("Numbers may be sent as strings")
    func numbersFromStrings() async throws {
        let fields: JSON = [
            "i": Fields.typed("INT64", .string(String(Int64.min))), "d": Fields.typed("DOUBLE", "-0.5"),
            "t": Fields.typed("TIMESTAMP", "1422312944104"), "l": Fields.typed("INT64_LIST", ["1", "2"]),
        ]
        let record = try await database.save(Change.create(Unique.name("Numbers"), Unique.name("r"), fields))
        #expect(record.value("i") == .int(Int64.min))
        #expect(record.value("d").double == -0.5)
        #expect(record.value("t") == 1_422_312_944_104)
        #expect(record.value("l") == [1, 2])
    }

    @Test("Case 15: a date keeps every bit beside its milliseconds")
    func case15() async throws {
        let type = Unique.name("Dates")
        // 2015-01-26T22:55:44.104 in milliseconds, and within that millisecond in seconds since 2001.
        let (milliseconds, seconds): (JSON, Double) = (1_422_312_944_104, 444_005_744.104_000_3)
        let field: JSON = ["value": milliseconds, "type": "TIMESTAMP", "exactReferenceSeconds": .number("\(seconds)")]
        let saved = try await database.save(Change.create(type, Unique.name("r"), ["f": field]))
        for record in [saved, try await database.find(saved.name)] {
            #expect(record.value("f") == milliseconds)
            #expect(record["fields"]["f"]["exactReferenceSeconds"].double == seconds, "\(record)")
        }
        let list: JSON = [
            "value": [milliseconds, 0], "type": "TIMESTAMP_LIST",
            "exactReferenceSeconds": [.number("\(seconds)"), nil],
        ]
        let listed = try await database.save(Change.create(type, Unique.name("r"), ["l": list]))
        #expect(listed["fields"]["l"]["exactReferenceSeconds"][0].double == seconds, "\(listed)")
        #expect(listed.value("l") == [milliseconds, 0])
    }

    @Test("A date that milliseconds express has no exact seconds beside it")
    func plainDate() async throws {
        let record = try await database.save(
            Change.create(Unique.name("Dates"), Unique.name("r"), ["f": Fields.typed("TIMESTAMP", 1_422_312_944_104)]))
        #expect(record["fields"]["f"] == Fields.typed("TIMESTAMP", 1_422_312_944_104))
    }

    /// A spelling of a type that clients send, and what is answered.
    static let spelledTypes: [(sent: Sample, answered: String)] = [
        (Sample("INT", 1), "INT64"), (Sample("BYTE", "AA=="), "BYTES"), (Sample("DATETIME", 5), "TIMESTAMP"),
        (Sample("LIST", ["a"]), "STRING_LIST"),
    ]

    @Test("Other spellings of types that clients send", arguments: spelledTypes)
    func spellings(sent: Sample, answered: String) async throws {
        let record = try await database.save(
            Change.create(Unique.name("Spelled"), Unique.name("r"), ["f": Fields.typed(sent.type, sent.value)]))
        #expect(record["fields"]["f"] == Fields.typed(answered, sent.value))
    }

    @Test("A reference without an action, or in other case, is read; answers always have one")
    func references() async throws {
        for action in [JSON.absent, "NONE", "None", "none"] {
            let reference: JSON = ["recordName": "x", "action": action]
            let record = try await database.save(
                Change.create(Unique.name("Linked"), Unique.name("r"), ["f": Fields.typed("REFERENCE", reference)]))
            #expect(record.value("f")["recordName"] == "x")
            #expect(record.value("f")["action"] == "NONE", "\(record)")
        }
    }
}
