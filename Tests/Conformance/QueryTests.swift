import StratusTestSupport
import Testing

/// Queries over a small set of records whose answers are plain to see.
@Suite("Queries")
struct QueryTests {
    let tenant: Tenant
    let database: Database

    init() async throws {
        tenant = try await Tenant.shared("Queries")
        database = tenant.privateDatabase
    }

    /// One question and the people it should find.
    struct Question: Sendable, CustomTestStringConvertible {
        let filter: JSON
        let expected: Set<String>
        var testDescription: String { filter.text }

        init(_ field: String, _ comparator: String, _ value: JSON, type: String? = nil, _ expected: String) {
            filter = Condition.filter(field, comparator, value, type: type)
            self.expected = Set(expected.split(separator: " ").map(String.init))
        }
    }

    /// ada, bo, cy and di. Di has no field but her name.
    static let people: [JSON] = [
        [
            "name": Fields.typed("STRING", "Ada"), "age": Fields.typed("INT64", 36),
            "height": Fields.typed("DOUBLE", 1.5), "born": Fields.typed("TIMESTAMP", 1000),
            "tags": Fields.typed("STRING_LIST", ["maths", "poetry"]), "scores": Fields.typed("INT64_LIST", [1, 2, 3]),
            "friend": Fields.typed("REFERENCE", ["recordName": "bo", "action": "NONE"]),
            "about": Fields.typed("STRING", "Wrote the first programme; loved café noir"),
            "seal": Fields.typed("BYTES", "AAEC"), "seals": Fields.typed("BYTES_LIST", ["AA==", "/w=="]),
        ],
        [
            "name": Fields.typed("STRING", "Bo"), "age": Fields.typed("INT64", -7),
            "height": Fields.typed("DOUBLE", -2.25), "born": Fields.typed("TIMESTAMP", -5000),
            "tags": Fields.typed("STRING_LIST", ["music"]), "scores": Fields.typed("INT64_LIST", [3]),
            "friend": Fields.typed("REFERENCE", ["recordName": "ada", "action": "NONE"]),
            "about": Fields.typed("STRING", "Plays the programme music, first violin"),
            "seal": Fields.typed("BYTES", "AAE="), "seals": Fields.typed("BYTES_LIST", ["AA=="]),
        ],
        [
            "name": Fields.typed("STRING", "Adalbert"), "age": Fields.typed("INT64", 36),
            "height": Fields.typed("DOUBLE", 2), "born": Fields.typed("TIMESTAMP", 2000),
            "tags": Fields.typed("STRING_LIST", []), "scores": Fields.typed("INT64_LIST", [4, 1]),
            "friend": Fields.typed("REFERENCE", ["recordName": "ada", "action": "NONE"]),
            "about": Fields.typed("STRING", "我住在北京, a student"),
            "seal": Fields.typed("BYTES", "/w=="), "seals": Fields.typed("BYTES_LIST", []),
        ],
        ["name": Fields.typed("STRING", "di")],
    ]
    static let names = ["ada", "bo", "cy", "di"]

    /// A zone that holds the people as records of the type Person, made once.
    private func people() async throws -> String { try await Self.zone.value }
    private static let zone = Task {
        let database = try await Tenant.shared("Queries").privateDatabase
        let zone = try await database.makeZone("People")
        for (name, fields) in zip(names, people) {
            _ = try await database.save(Change.create("Person", name, fields), zone: zone)
        }
        return zone
    }

    private func ask(_ filters: [JSON], sorts: [JSON] = []) async throws -> [String] {
        try await database.queryAll("Person", filters: filters, sorts: sorts, zone: try await people()).map(\.name)
    }

    @Test("Case 64: BEGINS_WITH finds names right after the save, without waiting for an index")
    func case64() async throws {
        let type = Unique.name("Contact")
        for name in ["Madi", "Simon"] {
            _ = try await database.save(Change.create(type, Unique.name("r"), Fields.untyped(["name": .string(name)])))
        }
        let found = try await database.queryAll(type, filters: [Condition.filter("name", "BEGINS_WITH", "M")])
        #expect(found.map { $0.value("name") } == ["Madi"])
    }

    @Test("Case 65: an unknown type is not found")
    func case65() async throws {
        let type = Unique.name("Never")
        expectRefused(try await database.query(type), 404, "NOT_FOUND", "Did not find record type: \(type)")
    }

    @Test("Case 66: a known type without a match gives an empty list")
    func case66() async throws {
        let zone = try await people()
        let answer = try await database.query(
            "Person", filters: [Condition.filter("name", "EQUALS", "Nobody")], zone: zone)
        #expect(answer.status == 200)
        #expect(answer.json["records"] == [])
        #expect(answer.json["continuationMarker"].string == nil)
        #expect(try await database.query("Person", zone: "_defaultZone").json["records"] == [])
    }

    @Test("Case 69: a filter or sort on an unknown field is refused by name")
    func case69() async throws {
        let zone = try await people()
        let filtered = try await database.query(
            "Person", filters: [Condition.filter("nope", "EQUALS", 1)], zone: zone)
        expectRefused(filtered, 400, "BAD_REQUEST", "'nope'", "'Person'")
        let sorted = try await database.query("Person", sorts: [Condition.sort("nope")], zone: zone)
        expectRefused(sorted, 400, "BAD_REQUEST", "'nope'")
    }

    @Test("Case 70: IN takes a list with its list type, or without a type")
    func case70() async throws {
        for type in ["STRING_LIST", nil] {
            let filter = Condition.filter("name", "IN", ["Ada", "Bo", "Nobody"], type: type)
            #expect(Set(try await ask([filter])) == ["ada", "bo"])
        }
    }

    @Test("Case 71: every comparator on every type it applies to", arguments: questions)
    func case71(question: Question) async throws {
        #expect(Set(try await ask([question.filter])) == question.expected)
    }

    static let questions: [Question] = equalities + orders + memberships + lists + bytes + prefixes + tokens

    private static let equalities: [Question] = [
        Question("name", "EQUALS", "Ada", "ada"), Question("name", "NOT_EQUALS", "Ada", "bo cy di"),
        Question("name", "EQUALS", "ADA", ""), Question("age", "EQUALS", 36, "ada cy"),
        Question("age", "NOT_EQUALS", 36, "bo"), Question("height", "EQUALS", -2.25, type: "DOUBLE", "bo"),
        Question("height", "EQUALS", 2, "cy"), Question("height", "NOT_EQUALS", 2, "ada bo"),
        Question("born", "EQUALS", -5000, type: "TIMESTAMP", "bo"), Question("born", "NOT_EQUALS", 1000, "bo cy"),
        Question("friend", "EQUALS", ["recordName": "ada"], type: "REFERENCE", "bo cy"),
        Question("friend", "NOT_EQUALS", ["recordName": "ada", "action": "NONE"], "ada"),
    ]

    private static let orders: [Question] = [
        Question("age", "LESS_THAN", 36, "bo"), Question("age", "LESS_THAN_OR_EQUALS", 36, "ada bo cy"),
        Question("age", "GREATER_THAN", -7, "ada cy"), Question("age", "GREATER_THAN_OR_EQUALS", -7, "ada bo cy"),
        Question("height", "LESS_THAN", 1.5, "bo"), Question("height", "LESS_THAN_OR_EQUALS", 1.5, "ada bo"),
        Question("height", "GREATER_THAN", -2.25, "ada cy"),
        Question("height", "GREATER_THAN_OR_EQUALS", 1.75, "cy"), Question("born", "LESS_THAN", 0, "bo"),
        Question("born", "LESS_THAN_OR_EQUALS", 1000, "ada bo"), Question("born", "GREATER_THAN", 1000, "cy"),
        Question("born", "GREATER_THAN_OR_EQUALS", -5000, "ada bo cy"), Question("name", "LESS_THAN", "Adb", "ada cy"),
        Question("name", "LESS_THAN_OR_EQUALS", "Ada", "ada"), Question("name", "GREATER_THAN", "Ada", "bo cy di"),
        Question("name", "GREATER_THAN_OR_EQUALS", "Bo", "bo di"),
    ]

    private static let memberships: [Question] = [
        Question("age", "IN", [36, 40], type: "INT64_LIST", "ada cy"),
        Question("age", "NOT_IN", [36], type: "INT64_LIST", "bo"),
        Question("name", "NOT_IN", ["Ada", "di"], type: "STRING_LIST", "bo cy"),
        Question("height", "IN", [1.5, -2.25], type: "DOUBLE_LIST", "ada bo"),
        Question("born", "IN", [1000, 2000], type: "TIMESTAMP_LIST", "ada cy"),
        Question("friend", "IN", [["recordName": "bo"]], type: "REFERENCE_LIST", "ada"),
    ]

    private static let lists: [Question] = [
        Question("tags", "LIST_CONTAINS", "music", "bo"), Question("tags", "NOT_LIST_CONTAINS", "music", "ada cy"),
        Question("scores", "LIST_CONTAINS", 3, "ada bo"), Question("scores", "NOT_LIST_CONTAINS", 3, "cy"),
        Question("tags", "LIST_CONTAINS_ANY", ["music", "poetry"], "ada bo"),
        Question("tags", "NOT_LIST_CONTAINS_ANY", ["music", "poetry"], "cy"),
        Question("scores", "LIST_CONTAINS_ALL", [1, 3], type: "INT64_LIST", "ada"),
        Question("scores", "NOT_LIST_CONTAINS_ALL", [1, 3], type: "INT64_LIST", "bo cy"),
    ]

    private static let bytes: [Question] = [
        Question("seal", "EQUALS", "AAE=", type: "BYTES", "bo"), Question("seal", "EQUALS", "AAE=", "bo"),
        Question("seal", "NOT_EQUALS", "AAE=", type: "BYTES", "ada cy"), Question("seal", "EQUALS", "", ""),
        Question("seal", "IN", ["AAE=", "/w==", "AQ=="], type: "BYTES_LIST", "bo cy"),
        Question("seal", "NOT_IN", ["AAE="], type: "BYTES_LIST", "ada cy"),
        Question("seal", "LESS_THAN", "AAEC", type: "BYTES", "bo"),
        Question("seal", "LESS_THAN_OR_EQUALS", "AAEC", "ada bo"), Question("seal", "GREATER_THAN", "AAE=", "ada cy"),
        Question("seal", "GREATER_THAN_OR_EQUALS", "AAEC", type: "BYTES", "ada cy"),
        Question("seals", "LIST_CONTAINS", "/w==", type: "BYTES", "ada"),
        Question("seals", "NOT_LIST_CONTAINS", "AA==", type: "BYTES", "cy"),
        Question("seals", "LIST_CONTAINS_ANY", ["AA==", "AQ=="], type: "BYTES_LIST", "ada bo"),
        Question("seals", "LIST_CONTAINS_ALL", ["AA==", "/w=="], type: "BYTES_LIST", "ada"),
    ]

    private static let prefixes: [Question] = [
        Question("name", "BEGINS_WITH", "Ada", "ada cy"), Question("name", "BEGINS_WITH", "ada", ""),
        Question("name", "BEGINS_WITH", "", "ada bo cy di"), Question("name", "NOT_BEGINS_WITH", "Ada", "bo di"),
        Question("tags", "LIST_MEMBER_BEGINS_WITH", "m", "ada bo"),
        Question("tags", "NOT_LIST_MEMBER_BEGINS_WITH", "m", "cy"),
        Question("about", "NOT_BEGINS_WITH", "Wrote", "bo cy"),
    ]

    private static let tokens: [Question] = [
        Question("about", "CONTAINS_ALL_TOKENS", "programme first", "ada bo"),
        Question("about", "CONTAINS_ALL_TOKENS", "PROGRAMME wrote", "ada"),
        Question("about", "CONTAINS_ALL_TOKENS", "program", ""),
        Question("about", "CONTAINS_ALL_TOKENS", "CAFE", "ada"),
        Question("about", "CONTAINS_ANY_TOKENS", "violin noir", "ada bo"),
        Question("about", "CONTAINS_ANY_TOKENS", "nothing here", ""),
        Question("about", "CONTAINS_ALL_TOKENS", "北京", "cy"),
    ]

    @Test("Token search without a field looks through all text fields")
    func anyField() async throws {
        let filter: JSON = ["comparator": "CONTAINS_ALL_TOKENS", "fieldValue": ["value": "bo"]]
        #expect(try await ask([filter]) == ["bo"])
    }

    @Test("Several filters are joined by AND; one filter needs no array")
    func conjunction() async throws {
        let filters = [Condition.filter("age", "EQUALS", 36), Condition.filter("name", "BEGINS_WITH", "Adal")]
        #expect(try await ask(filters) == ["cy"])
        let contradiction = [Condition.filter("age", "LESS_THAN", 0), Condition.filter("age", "GREATER_THAN", 0)]
        #expect(try await ask(contradiction) == [])
        let query: JSON = ["recordType": "Person", "filterBy": filters[1], "sortBy": Condition.sort("name")]
        let answer = try await database.post(
            "records/query", ["query": query, "zoneID": ["zoneName": .string(try await people())]])
        #expect(answer.records.map(\.name) == ["cy"], "\(answer)")
    }

    @Test("Sorting by each sortable type, both ways; records without the field come last")
    func sorting() async throws {
        let orders: [(String, [String])] = [
            ("name", ["ada", "cy", "bo", "di"]), ("height", ["bo", "ada", "cy", "di"]),
            ("born", ["bo", "ada", "cy", "di"]), ("seal", ["bo", "ada", "cy", "di"]),
        ]
        for (field, ascending) in orders {
            #expect(try await ask([], sorts: [Condition.sort(field)]) == ascending)
            let descending = ascending.reversed().filter { $0 != "di" || field == "name" }
            let expected = field == "name" ? descending : descending + ["di"]
            #expect(try await ask([], sorts: [Condition.sort(field, ascending: false)]) == expected)
        }
        let two = [Condition.sort("age", ascending: false), Condition.sort("name", ascending: false)]
        #expect(try await ask([], sorts: two) == ["cy", "ada", "bo", "di"])
    }

    @Test("Bytes are neither searched by word nor compared with what is no base64; encrypted ones are not asked for")
    func bytesThatCannotBeAsked() async throws {
        let zone = try await people()
        for (comparator, value) in [("BEGINS_WITH", "AAE="), ("CONTAINS_ANY_TOKENS", "AAE="), ("EQUALS", "?")] {
            let answer = try await database.query(
                "Person", filters: [Condition.filter("seal", comparator, .string(value))], zone: zone)
            expectRefused(answer, 400, "BAD_REQUEST", "'seal'")
        }
        let type = Unique.name("Secret")
        let secret = Fields.typed("ENCRYPTED_BYTES", "AAE=")
        _ = try await database.save(Change.create(type, Unique.name("r"), ["secret": secret]))
        let asked = try await database.query(
            type, filters: [Condition.filter("secret", "EQUALS", "AAE=", type: "BYTES")])
        expectRefused(asked, 400, "BAD_REQUEST", "'secret'", "ENCRYPTED_BYTES")
        expectRefused(
            try await database.query(type, sorts: [Condition.sort("secret")]), 400, "BAD_REQUEST", "'secret'")
    }

    @Test("System fields can be asked for and sorted by, in either spelling")
    func systemFields() async throws {
        let zone = try await people()
        let user: JSON = ["recordName": .string(tenant.alice.userRecordName)]
        for (system, schema, value) in [("createdUserRecordName", "___createdBy", user)] {
            let filters: [JSON] = [
                ["systemFieldName": .string(system), "comparator": "EQUALS", "fieldValue": ["value": value]],
                ["fieldName": .string(schema), "comparator": "EQUALS", "fieldValue": ["value": value]],
            ]
            for filter in filters { #expect(Set(try await ask([filter])) == Set(Self.names)) }
        }
        let byName: [JSON] = [
            ["systemFieldName": "recordName", "comparator": "EQUALS", "fieldValue": ["value": ["recordName": "cy"]]],
            ["fieldName": "___recordID", "comparator": "EQUALS", "fieldValue": ["value": "cy", "type": "STRING"]],
        ]
        for filter in byName { #expect(try await ask([filter]) == ["cy"]) }
        let stamps = try await database.queryAll(
            "Person", sorts: [["systemFieldName": "createdTimestamp", "ascending": false]], zone: zone
        ).compactMap { $0["created"]["timestamp"].int }
        #expect(stamps == stamps.sorted(by: >) && stamps.count == 4)
        let names: [JSON] = [["systemFieldName": "recordName", "ascending": false]]
        #expect(try await ask([], sorts: names) == ["di", "cy", "bo", "ada"])
        let since: JSON = [
            "systemFieldName": "modifiedTimestamp", "comparator": "GREATER_THAN", "fieldValue": ["value": 1_000],
        ]
        #expect(Set(try await ask([since])) == Set(Self.names))
    }

    @Test("Case 72: NEAR finds places within the distance, which also sorts them")
    func case72() async throws {
        let type = Unique.name("Place")
        let places: [(String, Double, Double)] = [
            ("berlin", 52.52, 13.405), ("potsdam", 52.4, 13.066), ("hamburg", 53.551, 9.993), ("suva", -18.14, 178.44),
            ("taveuni", -16.8, -179.97),
        ]
        let zone = try await database.makeZone()
        let changes = places.map { name, latitude, longitude -> JSON in
            let location: JSON = ["latitude": .number("\(latitude)"), "longitude": .number("\(longitude)")]
            return Change.create(type, name, ["at": Fields.typed("LOCATION", location)])
        }
        expectSaved(try await database.modify(changes, zone: zone), count: places.count)
        func near(_ place: JSON, _ metres: JSON, comparator: String = "NEAR") async throws -> [String] {
            var filter = Condition.filter("at", comparator, place, type: "LOCATION")
            filter["distance"] = metres
            let sort: JSON = ["fieldName": "at", "relativeLocation": place]
            return try await database.queryAll(type, filters: [filter], sorts: [sort], zone: zone).map(\.name)
        }
        let berlin: JSON = ["latitude": 52.52, "longitude": 13.405]
        #expect(try await near(berlin, 1_000) == ["berlin"])
        #expect(try await near(berlin, 50_000) == ["berlin", "potsdam"])
        #expect(try await near(berlin, 300_000, comparator: "LESS_THAN") == ["berlin", "potsdam", "hamburg"])
        let everywhere = try await near(berlin, 20_040_000)
        #expect(everywhere.prefix(3) == ["berlin", "potsdam", "hamburg"] && everywhere.count == 5)
        // Across the date line.
        let fiji: JSON = ["latitude": -17.0, "longitude": 179.9]
        #expect(try await near(fiji, 400_000) == ["taveuni", "suva"])
        let wrapped = try await database.query(
            type, sorts: [["fieldName": "at", "relativeLocation": ["value": berlin, "type": "LOCATION"]]], zone: zone)
        #expect(wrapped.records.first?.name == "berlin", "\(wrapped)")
    }

    @Test("Case 73: a query sees one zone, or with zoneWide all of them")
    func case73() async throws {
        let type = Unique.name("Spread")
        let (first, second) = (try await database.makeZone(), try await database.makeZone())
        for (name, zone) in [("in-default", nil), ("in-first", first), ("in-second", second)] {
            _ = try await database.save(Change.create(type, name, Fields.untyped(["a": 1])), zone: zone)
        }
        let filters = [Condition.filter("a", "EQUALS", 1)]
        #expect(try await database.queryAll(type, filters: filters).map(\.name) == ["in-default"])
        #expect(try await database.queryAll(type, filters: filters, zone: first).map(\.name) == ["in-first"])
        // One client always sends both: the zone wins.
        let both = try await database.queryAll(type, filters: filters, zone: second, ["zoneWide": true])
        #expect(both.map(\.name) == ["in-second"])
        for limit in [1, 200] {
            let options: JSON = ["zoneWide": true, "resultsLimit": .int(limit)]
            let all = try await database.queryAll(type, filters: filters, options)
            #expect(all.map(\.name).sorted() == ["in-default", "in-first", "in-second"])
        }
    }

    @Test("An answer to a query follows every change of a record")
    func indexFollows() async throws {
        let type = Unique.name("Moving")
        func find(_ value: JSON) async throws -> Int {
            try await database.queryAll(type, filters: [Condition.filter("a", "EQUALS", value)]).count
        }
        let record = try await database.save(Change.create(type, Unique.name("r"), Fields.untyped(["a": "x", "b": 1])))
        #expect(try await find("x") == 1)
        let moved = try await database.save(Change.update(record, Fields.untyped(["a": "y"])))
        #expect(try await (find("x"), find("y")) == (0, 1))
        _ = try await database.save(Change.replace(moved, Fields.untyped(["b": 2])))
        #expect(try await (find("x"), find("y")) == (0, 0))
    }
}
