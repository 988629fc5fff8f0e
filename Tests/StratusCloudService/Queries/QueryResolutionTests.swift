import StratusCloudModel
import Testing

@testable import StratusCloudService

@Suite struct QueryResolutionTests {
    /// Like the test type, with hardly any index.
    private static let bare: RecordTypeSchema = {
        var type = TestSchema.type
        for name in type.fields.keys { type.fields[name]?.index = nil }
        type.systemFields = [:]
        return type
    }()

    private func refusal(_ query: Query, in type: RecordTypeSchema = TestSchema.type) -> String? {
        do {
            _ = try QueryResolution.resolve(query, in: type)
            return nil
        } catch {
            #expect(error.code == .badRequest)
            return error.reason
        }
    }

    private func refusal(_ filter: Filter, in type: RecordTypeSchema = TestSchema.type) -> String? {
        refusal(Query(recordType: "Thing", filters: [filter]), in: type)
    }

    @Test func unknownAndUnindexedFields() {
        #expect(refusal(Filter(.equals, "f", .integer(1))) == "Did not find field: 'f' in type: 'Thing'")
        #expect(refusal(Filter(.equals, "plain", .text("a"))) == "Field 'plain' is not marked queryable")
        #expect(refusal(Filter(.containsAnyTokens, "plain", .text("a"))) == "Field 'plain' is not marked searchable")
        #expect(
            refusal(Query(recordType: "Thing"), in: Self.bare) == "Field 'recordName' is not marked queryable")
        #expect(
            refusal(Query(recordType: "Thing", sorts: [Sort(.system(.createdTimestamp))]), in: Self.bare)
                == "Field 'recordName' is not marked queryable")
        let byName = Filter(.equals, .system(.recordName), FieldInput(.text("a")))
        #expect(refusal(byName, in: Self.bare) == "Field 'recordName' is not marked queryable")
        var type = Self.bare
        type.systemFields[.recordName] = FieldIndex(kinds: .queryable, number: IndexNumber(rawValue: 1))
        for field: QueryField in [.system(.createdTimestamp), .named("___createTime"), .named("createdTimestamp")] {
            #expect(
                refusal(Query(recordType: "Thing", sorts: [Sort(field)]), in: type)
                    == "Field '___createTime' is not marked sortable")
        }
        #expect(
            refusal(Query(recordType: "Thing", sorts: [Sort(.named("secret"))]))
                == "Field 'secret' is not marked sortable")
        #expect(
            refusal(Query(recordType: "Thing", sorts: [Sort(.named("f"))]))
                == "Did not find field: 'f' in type: 'Thing'")
    }

    @Test func typesThatAComparatorDoesNotApplyTo() {
        #expect(
            refusal(Filter(.equals, "secret", .text("a")))
                == "Field 'secret' has a value type of ENCRYPTED_STRING and cannot be queried using filter type EQUALS")
        let refused: [(StratusCloudModel.Comparator, String)] = [
            (.beginsWith, "data"), (.equals, "file"), (.equals, "texts"), (.in, "texts"), (.lessThan, "link"),
            (.lessThan, "place"), (.near, "text"), (.containsAllTokens, "integer"), (.listContains, "text"),
            (.beginsWith, "integer"), (.beginsWith, "texts"), (.listMemberBeginsWith, "integers"),
            (.listMemberBeginsWith, "text"), (.notListContainsAll, "integer"), (.notEquals, "file"),
            (.in, "datas"), (.listMemberBeginsWith, "datas"), (.containsAnyTokens, "data"), (.lessThan, "datas"),
        ]
        for (comparator, field) in refused {
            let type = TestSchema.type.fields[field].map(\.type.description) ?? ""
            #expect(
                refusal(Filter(comparator, field, .text("a")))
                    == "Field '\(field)' has a value type of \(type) and cannot be queried using filter type "
                    + comparator.rawValue)
        }
    }

    @Test func valuesOfOtherTypes() {
        for filter in [
            Filter(.equals, "integer", .text("x")), Filter(.equals, "integer", .null),
            Filter(.equals, "integer", .list([.integer(1)])), Filter(.in, "integer", .integer(1)),
            Filter(.in, "integer", .list([.text("x")])), Filter(.in, "integer", .null),
            Filter(.listContains, "integers", .list([.integer(1)])), Filter(.beginsWith, "text", .integer(1)),
            Filter(.containsAnyTokens, "text", .integer(1)), Filter(.equals, "place", .text("here")),
            Filter(.equals, "data", .text("not base64")), Filter(.lessThan, "data", .integer(1)),
            Filter(.in, "data", .list([.text("AA=="), .text("A")])),
            Filter(.equals, .named("integer"), FieldInput(.integer(1), declaredType: .scalar(.string))),
        ] {
            let reason = refusal(filter) ?? ""
            #expect(reason.contains(filter.comparator.rawValue) && reason.contains("in record 'Thing'"), "\(reason)")
        }
    }

    @Test func distances() {
        let here = Location(latitude: 1, longitude: 1)
        for distance in [nil, -1, .nan, -.infinity] as [Double?] {
            #expect(refusal(Filter(.near, "place", .scalar(.location(here)), distance: distance)) != nil)
        }
        let nowhere = Location(latitude: 91, longitude: .nan)
        #expect(refusal(Filter(.near, "place", .scalar(.location(nowhere)), distance: 1)) != nil)
        #expect(refusal(Filter(.near, "place", .scalar(.location(here)), distance: .infinity)) == nil)
        #expect(refusal(Filter(.lessThan, "place", .scalar(.location(here)), distance: 10)) == nil)
        func sorted(_ sort: Sort) -> String? { refusal(Query(recordType: "Thing", sorts: [sort])) }
        #expect(sorted(Sort(.named("place"))) != nil)
        #expect(sorted(Sort(.named("place"), ascending: false, relativeLocation: here)) != nil)
        #expect(sorted(Sort(.named("text"), relativeLocation: here)) != nil)
        #expect(sorted(Sort(.named("place"), relativeLocation: nowhere)) != nil)
        #expect(sorted(Sort(.named("place"), relativeLocation: here)) == nil)
    }

    @Test func limits() {
        let filter = Filter(.equals, "integer", .integer(1))
        func filters(_ count: Int) -> Query {
            Query(recordType: "Thing", filters: Array(repeating: filter, count: count))
        }
        #expect(refusal(filters(ModelLimits.filtersPerQuery)) == nil)
        #expect(refusal(filters(ModelLimits.filtersPerQuery + 1)) != nil)
        let sorts = Array(repeating: Sort(.named("text")), count: ModelLimits.sortsPerQuery + 1)
        #expect(refusal(Query(recordType: "Thing", sorts: sorts)) != nil)
        func values(_ count: Int) -> Filter {
            Filter(.in, "integer", .list(Array(repeating: .integer(1), count: count)))
        }
        #expect(refusal(values(ModelLimits.valuesPerFilter)) == nil)
        #expect(refusal(values(ModelLimits.valuesPerFilter + 1)) != nil)
    }

    @Test func searchesWithoutAField() {
        let all = Filter(.containsAllTokens, nil, FieldInput(.text("a")))
        #expect(refusal(all) == nil)
        #expect(refusal(all, in: Self.bare) == "Type 'Thing' has no field that is marked searchable")
        #expect(refusal(Filter(.equals, nil, FieldInput(.text("a")))) != nil)
    }

    @Test func valuesTakeTheFieldsTypes() throws {
        let query = Query(
            recordType: "Thing",
            filters: [
                Filter(.equals, "integer", .text("12")), Filter(.in, "moment", .list([.integer(5), .text("6")])),
                Filter(.in, .named("text"), FieldInput(.list([.text("a")]), declaredType: .scalar(.string))),
                Filter(.in, .named("text"), FieldInput(.list([.text("a")]), declaredType: .list(nil))),
                Filter(.equals, .named("___recordId"), FieldInput(.text("n"))),
                Filter(
                    .equals, .system(.createdUserRecordName),
                    FieldInput(.scalar(.reference(Reference(recordName: "_u", zoneID: .default))))),
            ])
        let operands = try QueryResolution.resolve(query, in: TestSchema.type).filters.map(\.operand)
        #expect(
            operands == [
                .value(.int64(12)),
                .values([.timestamp(Timestamp(milliseconds: 5)), .timestamp(Timestamp(milliseconds: 6))]),
                .values([.string("a")]), .values([.string("a")]), .value(.reference(Reference(recordName: "n"))),
                .value(.reference(Reference(recordName: "_u"))),
            ])
    }
}
