import StratusCloudModel
import StratusCloudWire
import Testing

struct QueryDecodingTests {
    private func query(_ json: String) throws -> Query {
        try decoder.queryRecords(#"{"query":{"recordType":"T",\#(json)}}"#.bytes).request.query
    }

    private func filter(_ json: String) throws -> Filter {
        try #require(try query(#""filterBy":[\#(json)]"#).filters.first)
    }

    @Test func wholeRequest() throws {
        let decoded = try decoder.queryRecords(
            #"""
            {"query":{"recordType":"T",
              "filterBy":[{"comparator":"EQUALS","fieldName":"a","fieldValue":{"value":"x","type":"STRING"}}],
              "sortBy":[{"fieldName":"b","ascending":false},{"systemFieldName":"modifiedTimestamp"}]},
             "zoneID":{"zoneName":"Z"},"zoneWide":true,"resultsLimit":10,"continuationMarker":"AAA=",
             "desiredKeys":null,"numbersAsStrings":false}
            """#.bytes)
        let query = Query(
            recordType: "T",
            filters: [Filter(.equals, .named("a"), FieldInput(.text("x"), declaredType: .scalar(.string)))],
            sorts: [Sort(.named("b"), ascending: false), Sort(.system(.modifiedTimestamp))])
        #expect(
            decoded
                == Decoded(
                    QueryRecordsRequest(
                        query: query, zoneID: ZoneID(zoneName: "Z"), zoneWide: true, resultsLimit: 10,
                        continuationMarker: "AAA=")))
    }

    @Test func everyComparator() throws {
        for comparator in Comparator.allCases {
            let json = #"{"comparator":"\#(comparator.rawValue)","fieldName":"a","fieldValue":{"value":"x"}}"#
            #expect(try filter(json).comparator == comparator)
        }
        let alias = #"{"comparator":"CONTAINS_ANY","fieldName":"a","fieldValue":{"value":["x"]}}"#
        #expect(try filter(alias).comparator == .listContainsAny)
    }

    @Test func singleObjectsStandForLists() throws {
        let query = try query(
            #""filterBy":{"comparator":"EQUALS","fieldName":"a","fieldValue":{"value":1}},"sortBy":{"fieldName":"b"}"#)
        #expect(query.filters == [Filter(.equals, .named("a"), FieldInput(.integer(1)))])
        #expect(query.sorts == [Sort(.named("b"))])
    }

    @Test func lessThanADistanceIsNear() throws {
        let place = #"{"value":{"latitude":1,"longitude":2},"type":"LOCATION"}"#
        let near = try filter(#"{"comparator":"LESS_THAN","fieldName":"l","distance":100,"fieldValue":\#(place)}"#)
        #expect(near.comparator == .near)
        #expect(near.distance == 100)
        let number = try filter(
            #"{"comparator":"LESS_THAN","fieldName":"l","distance":100,"fieldValue":{"value":5}}"#)
        #expect(number.comparator == .lessThan)
    }

    @Test(arguments: [
        (#""systemFieldName":"createdTimestamp""#, QueryField.system(.createdTimestamp)),
        (#""systemFieldName":"___createTime""#, .system(.createdTimestamp)),
        (#""systemFieldName":"___recordId""#, .system(.recordName)),
        (#""fieldName":"___modTime""#, .system(.modifiedTimestamp)),
        (#""fieldName":"___recordID""#, .system(.recordName)), (#""fieldName":"parent""#, .named("parent")),
        (#""fieldName":"recordName""#, .named("recordName")), (#""fieldName":"___etag""#, .named("___etag")),
    ])
    func fields(json: String, field: QueryField) throws {
        #expect(try filter(#"{"comparator":"EQUALS",\#(json),"fieldValue":{"value":1}}"#).field == field)
        #expect(try query(#""sortBy":[{\#(json)}]"#).sorts == [Sort(field)])
    }

    @Test(arguments: [
        (#""createdTimestamp""#, #"{"value":{"createdTimestamp":5}}"#, FieldInput(.integer(5))),
        (
            #""createdTimestamp""#, #"{"value":{"___createTime":5},"type":"TIMESTAMP"}"#,
            FieldInput(.integer(5), declaredType: .scalar(.timestamp))
        ),
        (
            #""recordName""#, #"{"value":{"recordName":"R"}}"#,
            FieldInput(.scalar(.reference(Reference(recordName: "R"))))
        ),
        (#""recordName""#, #"{"value":"R"}"#, FieldInput(.text("R"))),
        (#""createdUserRecordName""#, #"{"value":{"createdUserRecordName":"_u"}}"#, FieldInput(.text("_u"))),
        (
            #""createdUserRecordName""#, #"{"value":{"recordName":"_u"},"type":"REFERENCE"}"#,
            FieldInput(.scalar(.reference(Reference(recordName: "_u"))), declaredType: .scalar(.reference))
        ),
    ])
    func valuesOfSystemFields(name: String, value: String, expected: FieldInput) throws {
        let filter = try filter(#"{"comparator":"EQUALS","systemFieldName":\#(name),"fieldValue":\#(value)}"#)
        #expect(filter.value == expected)
    }

    @Test func tokenSearchNeedsNoField() throws {
        let filter = try filter(#"{"comparator":"CONTAINS_ALL_TOKENS","fieldValue":{"value":"a b"}}"#)
        #expect(filter == Filter(.containsAllTokens, nil, FieldInput(.text("a b"))))
    }

    @Test func relativeLocations() throws {
        for place in [#"{"latitude":1,"longitude":2}"#, #"{"value":{"latitude":1,"longitude":2},"type":"LOCATION"}"#] {
            let query = try query(#""sortBy":[{"fieldName":"l","relativeLocation":\#(place)}]"#)
            #expect(query.sorts == [Sort(.named("l"), relativeLocation: Location(latitude: 1, longitude: 2))])
        }
    }

    @Test(arguments: [
        ("{}", "The body has no query."), (#"{"query":[]}"#, "query must be an object."),
        (#"{"query":{}}"#, "query has no recordType."),
        (#"{"query":{"recordType":"T"},"resultsLimit":1.5}"#, "resultsLimit must be an integer."),
        (#"{"query":{"recordType":"T"},"zoneWide":"no"}"#, "zoneWide must be true or false."),
        (#"{"query":{"recordType":"T"},"continuationMarker":5}"#, "continuationMarker must be a string."),
        (#"{"query":{"recordType":"T"},"desiredKeys":"a"}"#, "desiredKeys must be an array."),
        (#"{"query":{"recordType":"T","filterBy":[5]}}"#, "query.filterBy[0] must be an object."),
        (
            #"{"query":{"recordType":"T","filterBy":[{"comparator":"LIKE","fieldName":"a"}]}}"#,
            "query.filterBy[0].comparator is not a known comparator."
        ),
        (
            #"{"query":{"recordType":"T","filterBy":[{"comparator":"EQUALS","fieldValue":{"value":1}}]}}"#,
            "query.filterBy[0] names no field."
        ),
        (
            #"{"query":{"recordType":"T","filterBy":{"comparator":"EQUALS","fieldName":"a"}}}"#,
            "query.filterBy has no fieldValue."
        ),
        (
            #"{"query":{"recordType":"T","sortBy":[{"systemFieldName":"title"}]}}"#,
            "query.sortBy[0].systemFieldName is not a known system field."
        ),
        (#"{"query":{"recordType":"T","sortBy":[{"ascending":true}]}}"#, "query.sortBy[0] names no field."),
        (
            #"{"query":{"recordType":"T","sortBy":[{"fieldName":"a","relativeLocation":{"latitude":1}}]}}"#,
            "query.sortBy[0].relativeLocation has no longitude."
        ),
    ])
    func refusals(body: String, expected: String) {
        #expect(reason(body) { (bytes) throws(CloudError) in try decoder.queryRecords(bytes) } == expected)
    }

    @Test func limits() throws {
        func body(_ key: String, _ item: String, _ count: Int) -> String {
            let items = repeatElement(item, count: count).joined(separator: ",")
            return #"{"query":{"recordType":"T","\#(key)":[\#(items)]}}"#
        }
        let filter = #"{"comparator":"EQUALS","fieldName":"a","fieldValue":{"value":1}}"#
        let sort = #"{"fieldName":"a"}"#
        #expect(try decoder.queryRecords(body("filterBy", filter, 64).bytes).request.query.filters.count == 64)
        #expect(try decoder.queryRecords(body("sortBy", sort, 16).bytes).request.query.sorts.count == 16)
        #expect(
            reason(body("filterBy", filter, 65)) { (bytes) throws(CloudError) in try decoder.queryRecords(bytes) }
                == "query has 65 filters; the limit is 64.")
        #expect(
            reason(body("sortBy", sort, 17)) { (bytes) throws(CloudError) in try decoder.queryRecords(bytes) }
                == "query has 17 sort keys; the limit is 16.")
    }
}
