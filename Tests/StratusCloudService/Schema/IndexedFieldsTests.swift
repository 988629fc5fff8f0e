import StratusCloudModel
import Testing

@testable import StratusCloudService

/// What saves remember of a schema's indexes.
struct IndexedFieldsTests {
    private func field(_ name: String, number: UInt64) -> FieldSchema {
        FieldSchema(
            name: name, type: FieldType(.string),
            index: FieldIndex(kinds: [.queryable], number: IndexNumber(rawValue: number)))
    }

    @Test func aChangedTypeIsLookedAtAnew() {
        var schema = Schema()
        schema.recordTypes["Note"] = RecordTypeSchema(name: "Note", fields: ["title": field("title", number: 1)])
        #expect(schema.indexedFields(ofType: "Note")?.all.map(\.name) == ["title"])
        let former = schema
        schema.recordTypes["Note"]?.fields["body"] = field("body", number: 2)
        #expect(schema.indexedFields(ofType: "Note")?.optional.map(\.name) == ["title", "body"])
        #expect(former.indexedFields(ofType: "Note")?.all.map(\.name) == ["title"])
        schema.recordTypes["Note"] = nil
        #expect(schema.indexedFields(ofType: "Note") == nil)
    }

    @Test func fieldsThatARecordMayLackComeByTheirNumbers() {
        let fields = IndexedFields(
            ["c", "a", "b"].enumerated().map { place, name in
                QueryableField(
                    field(name, number: UInt64(9 - place)),
                    index: FieldIndex(kinds: [.queryable], number: IndexNumber(rawValue: UInt64(9 - place))))
            } + [
                QueryableField(
                    .createdTimestamp, index: FieldIndex(kinds: [.sortable], number: IndexNumber(rawValue: 1)))
            ])
        #expect(fields.optional.map(\.name) == ["b", "a", "c"])
        #expect(fields.all.count == 4)
    }

    @Test func whatIsRememberedMakesNoSchemasUnequal() {
        var schema = Schema()
        schema.recordTypes["Note"] = RecordTypeSchema(name: "Note")
        let other = schema
        _ = schema.indexedFields(ofType: "Note")
        #expect(schema == other)
    }
}
