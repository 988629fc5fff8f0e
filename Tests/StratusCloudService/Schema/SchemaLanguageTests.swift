import StratusCloudModel
import Testing

@testable import StratusCloudService

@Suite struct SchemaLanguageTests {
    private let sample = """
        DEFINE SCHEMA

            // The people.
            RECORD TYPE Users (
                "___createTime" TIMESTAMP,
                "___recordID"   REFERENCE,
                roles           LIST<INT64>,
                GRANT WRITE TO "_creator",
                GRANT READ TO "_world"
            );
            /* What they write. */
            CREATE ROLE editor;
            RECORD TYPE Note (
                "___modTime"  TIMESTAMP QUERYABLE SORTABLE,
                "___recordID" REFERENCE QUERYABLE,
                title         STRING QUERYABLE SEARCHABLE SORTABLE,  -- shown in lists
                "grant"       STRING,
                secret        ENCRYPTED STRING,
                place         LOCATION QUERYABLE,
                tags          LIST<STRING> QUERYABLE,
                GRANT READ, WRITE TO editor
            );
        """

    @Test func readsTypesFieldsIndexesAndGrants() throws {
        let document = try SchemaParser.parse(sample)
        #expect(document.roles == ["editor"])
        #expect(document.recordTypes.map(\.name) == ["Users", "Note"])
        let note = document.recordTypes[1]
        #expect(note.systemFields[.modifiedTimestamp] == [.queryable, .sortable])
        #expect(note.systemFields[.recordName] == [.queryable])
        #expect(note.fields.map(\.name) == ["title", "grant", "secret", "place", "tags"])
        #expect(note.fields[0].kinds == [.queryable, .sortable, .searchable])
        #expect(note.fields[2].type == FieldType(.string, isEncrypted: true))
        #expect(note.fields[4].type == FieldType(.string, isList: true))
        #expect(note.grants.map(\.permission) == [.read, .write])
    }

    @Test func whatIsPrintedReadsTheSame() throws {
        var schema = Schema()
        try schema.apply(try SchemaParser.parse(sample))
        let printed = SchemaDocument(schema).text
        var again = Schema()
        try again.apply(try SchemaParser.parse(printed))
        #expect(SchemaDocument(again) == SchemaDocument(schema))
        #expect(printed.contains("\"grant\""))
    }

    @Test(arguments: [
        ("RECORD TYPE A (a STRING);", "line 1, column 1: expected DEFINE, found 'RECORD'"),
        ("DEFINE SCHEMA RECORD TYPE A (a TEXT);", "line 1, column 32: expected one of STRING"),
        ("DEFINE SCHEMA\nRECORD TYPE A (a STRING)", "line 2, column 25: expected ';', found the end of the file"),
        ("DEFINE SCHEMA RECORD TYPE A (a STRING, a INT64);", "field 'a' is defined twice"),
        ("DEFINE SCHEMA RECORD TYPE A (a STRING); RECORD TYPE A (a STRING);", "record type 'A' is defined twice"),
        ("DEFINE SCHEMA RECORD TYPE A (a BYTES QUERYABLE SORTABLE SEARCHABLE);", "cannot be SEARCHABLE"),
        ("DEFINE SCHEMA RECORD TYPE A (a LIST<BYTES> SORTABLE);", "cannot be SORTABLE"),
        ("DEFINE SCHEMA RECORD TYPE A (a ENCRYPTED BYTES QUERYABLE);", "cannot have such an index"),
        ("DEFINE SCHEMA RECORD TYPE A (a ASSET QUERYABLE);", "cannot have such an index"),
        ("DEFINE SCHEMA RECORD TYPE A (a ENCRYPTED STRING QUERYABLE);", "cannot have such an index"),
        ("DEFINE SCHEMA RECORD TYPE A (a ENCRYPTED ASSET);", "cannot be ENCRYPTED"),
        ("DEFINE SCHEMA RECORD TYPE A (\"___other\" STRING);", "there is no system field '___other'"),
        ("DEFINE SCHEMA RECORD TYPE A (\"___modTime\" STRING);", "is of type TIMESTAMP"),
        ("DEFINE SCHEMA RECORD TYPE A (GRANT FLY TO x);", "expected READ, CREATE or WRITE"),
        ("DEFINE SCHEMA RECORD TYPE A (GRANT READ TO \"_friends\");", "column 44: expected one of _creator"),
        ("DEFINE SCHEMA CREATE ROLE \"_mine\";", "is a system role"),
        ("DEFINE SCHEMA CREATE ROLE a; CREATE ROLE a;", "line 1, column 42: role 'a' is created twice"),
        ("DEFINE SCHEMA RECORD TYPE A (a NUMBER PREFERRED AS STRING);", "expected INT64 or DOUBLE"),
        ("DEFINE SCHEMA RECORD TYPE A (a DOUBLE SEARCHABLE);", "column 39: field 'a' of type DOUBLE"),
        ("DEFINE SCHEMA RECORD TYPE A (\"___recordID\" REFERENCE SEARCHABLE);", "cannot be SEARCHABLE"),
        ("DEFINE SCHEMA /* open", "a comment is not closed"),
        ("DEFINE SCHEMA \"open", "a quoted name is not closed"),
        ("DEFINE SCHEMA §", "unexpected character"),
    ])
    func errorsSayWhereAndWhatWasExpected(text: String, expected: String) {
        let error = #expect(throws: CloudError.self) { try SchemaParser.parse(text) }
        #expect(error?.code == .badRequest)
        #expect(error?.reason.contains(expected) == true, "\(error?.reason ?? "")")
    }

    @Test func applyingAddsAndNeverChanges() throws {
        var schema = Schema()
        try schema.apply(try SchemaParser.parse(sample))
        let before = schema
        let document = try SchemaParser.parse("DEFINE SCHEMA RECORD TYPE Note (title INT64);")
        let error = #expect(throws: CloudError.self) { try schema.apply(document) }
        #expect(error?.code == .conflict)
        #expect(error?.reason.contains("types never change") == true, "\(error?.reason ?? "")")
        schema = before
        try schema.apply(
            try SchemaParser.parse(
                "DEFINE SCHEMA RECORD TYPE Note (extra DOUBLE SORTABLE, \"grant\" STRING QUERYABLE, "
                    + "\"___createTime\" TIMESTAMP SORTABLE);"))
        let note = try #require(schema.recordTypes["Note"])
        #expect(note.fields.count == 6)
        #expect(note.fields["title"] == before.recordTypes["Note"]?.fields["title"])
        #expect(note.grants.map(\.role) == ["editor", "editor"])
        #expect(note.fields["extra"]?.index?.kinds == .sortable, "no record has the field: its index is complete")
        #expect(note.fields["grant"]?.index == nil)
        #expect(note.fields["grant"]?.building?.kinds == .queryable, "records may have the field")
        #expect(note.systemFieldsBuilding[.createdTimestamp]?.kinds == .sortable)
        let numbers = schema.recordTypes.values.flatMap { type in
            type.fields.values.flatMap { [$0.index?.number, $0.building?.number].compactMap(\.self) }
                + type.systemFields.values.map(\.number) + type.systemFieldsBuilding.values.map(\.number)
        }
        #expect(Set(numbers).count == numbers.count, "index numbers are given once")
    }

    @Test func schemasComeBackFromTheStore() throws {
        var schema = Schema()
        try schema.apply(try SchemaParser.parse(sample))
        for type in schema.recordTypes.values {
            #expect(try RecordTypeSchema(stored: type.stored) == type)
        }
        try schema.apply(try SchemaParser.parse("DEFINE SCHEMA RECORD TYPE Note (\"grant\" STRING QUERYABLE);"))
        let note = try #require(schema.recordTypes["Note"])
        #expect(note.isBuilding)
        #expect(try RecordTypeSchema(stored: note.stored) == note)
        #expect(try SchemaHeader(stored: SchemaHeader(schema).stored) == SchemaHeader(schema))
    }
}
