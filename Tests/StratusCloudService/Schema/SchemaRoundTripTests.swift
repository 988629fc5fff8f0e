import StratusCloudModel
import StratusSeeds
import Testing

@testable import StratusCloudService

/// What is printed reads as the same, for random schemas and for those of the shapes that people publish.
@Suite struct SchemaRoundTripTests {
    @Test func whatIsPrintedReadsAsTheSame() throws {
        let seed = Seed.draw()
        print("SchemaRoundTripTests seed: \(seed)")
        var random = RandomSchemas(generator: SeededRandom(seed: seed))
        for _ in 0..<300 {
            let (document, other) = (random.document(), random.document())
            let text = document.text
            let read = try SchemaParser.parse(text)
            #expect(read.canonical == document.canonical, "\(text)")
            #expect(read.text == text)
            #expect(SchemaDiff(from: document, to: read).isEmpty)
            #expect(SchemaDiff(from: document, to: other).isEmpty == (document.canonical == other.canonical))
            // Layout, case and comments mean nothing.
            let shuffled = text.replacing("\n", with: " // x\n\t-- y\n /* z, */ ").replacing(
                "TIMESTAMP", with: "Timestamp")
            #expect(try SchemaParser.parse(shuffled).canonical == document.canonical)
        }
    }

    @Test func aSchemaMadeWhatADocumentSaysPrintsIt() throws {
        let seed = Seed.draw()
        print("SchemaRoundTripTests seed: \(seed)")
        var random = RandomSchemas(generator: SeededRandom(seed: seed))
        var schema = Schema()
        schema.recordTypes[SystemRecordType.users] = .users
        for _ in 0..<100 {
            let document = random.document(isPlain: true)
            _ = try schema.replace(with: document)
            var printed = SchemaDocument(schema)
            printed.recordTypes.removeAll { $0.name == SystemRecordType.users }
            #expect(printed == document.canonical)
            let numbers = schema.recordTypes.values.flatMap { type in type.indexedFields.map(\.index.number) }
            #expect(Set(numbers).count == numbers.count)
            #expect(Set(numbers).isDisjoint(with: schema.droppedIndexes), "what is dropped is never used again")
        }
    }

    /// Written for this test, with all that exported schemas of published apps have: system fields in any order and
    /// left out, quoted ordinary names, `cloudkit.share`, Core Data's prefixes, grants of several permissions.
    @Test(arguments: [
        """
        DEFINE SCHEMA

            RECORD TYPE Journey (
                "___createTime" TIMESTAMP SORTABLE,
                "___createdBy"  REFERENCE,
                "___etag"       STRING,
                "___modTime"    TIMESTAMP QUERYABLE SORTABLE,
                "___modifiedBy" REFERENCE,
                "___recordID"   REFERENCE QUERYABLE,
                diary           ENCRYPTED STRING,
                distance        INT64 QUERYABLE SORTABLE,
                stops           LIST<INT64> QUERYABLE,
                title           STRING QUERYABLE SEARCHABLE SORTABLE,
                GRANT READ, WRITE TO "_creator",
                GRANT CREATE TO "_icloud",
                GRANT READ TO "_world"
            );
        """,
        """
        DEFINE SCHEMA

            RECORD TYPE Users (
                "___createTime" TIMESTAMP,
                "___createdBy"  REFERENCE,
                "___etag"       STRING,
                "___modTime"    TIMESTAMP,
                "___modifiedBy" REFERENCE,
                "___recordID"   REFERENCE,
                roles           LIST<INT64>,
                GRANT WRITE TO "_creator",
                GRANT READ TO "_world"
            );
        """,
        """
        DEFINE SCHEMA
        RECORD TYPE CD_Entry (
            "___createTime" TIMESTAMP QUERYABLE SORTABLE, "___recordID" REFERENCE QUERYABLE,
            CD_body STRING QUERYABLE SEARCHABLE SORTABLE, CD_body_ckAsset ASSET, CD_entityName STRING QUERYABLE,
            CD_photo BYTES QUERYABLE SORTABLE, CD_moveReceipt BYTES QUERYABLE SORTABLE, CD_secret ENCRYPTED BYTES, CD_rating DOUBLE QUERYABLE SORTABLE,
            GRANT WRITE TO "_creator", GRANT CREATE TO "_icloud", GRANT READ TO "_world"
        );
        RECORD TYPE "CDMR" (CD_recordNames STRING, CD_relationships STRING);
        RECORD TYPE "cloudkit.share" ("___modTime" TIMESTAMP SORTABLE, GRANT READ, CREATE, WRITE TO "_icloud");
        """,
        """
        // A shop.
        DEFINE SCHEMA
        CREATE ROLE Moderator; CREATE ROLE "Shop Owner";
        RECORD TYPE "Product" (
            "name" STRING SEARCHABLE, "price" NUMBER PREFERRED AS DOUBLE QUERYABLE, count NUMBER,
            where LOCATION QUERYABLE, colours LIST<STRING> QUERYABLE SEARCHABLE, shop REFERENCE QUERYABLE,
            -- words of the language are names here
            "queryable" INT64 QUERYABLE, list LIST<LIST_IS_NO_TYPE>
        );
        """,
        """
        DEFINE SCHEMA

            RECORD TYPE Walk (
                "___createTime" TIMESTAMP SORTABLE,
                "___createdBy"  REFERENCE QUERYABLE,
                "___etag"       STRING,
                "___modTime"    TIMESTAMP QUERYABLE,
                "___modifiedBy" REFERENCE,
                "___recordID"   REFERENCE,
                companions      LIST<REFERENCE>,
                days            LIST<TIMESTAMP>,
                length          DOUBLE SORTABLE,
                place           LOCATION QUERYABLE SORTABLE,
                start           LOCATION SORTABLE,
                walker          STRING SORTABLE,
                GRANT READ, WRITE TO "_creator",
                GRANT READ, CREATE, WRITE TO "_icloud",
                GRANT READ TO "_world"
            );

            CREATE ROLE guide;

            RECORD TYPE "Step" (
                "number"  INT64 QUERYABLE ,   // with blanks before the comma
                "walk" REFERENCE QUERYABLE,
                GRANT WRITE TO guide
            );
        """,
    ])
    func schemasOfPublishedShapes(text: String) throws {
        guard !text.contains("LIST_IS_NO_TYPE") else {
            #expect(throws: CloudError.self) { try SchemaParser.parse(text) }
            let document = try SchemaParser.parse(text.replacing("LIST_IS_NO_TYPE", with: "TIMESTAMP"))
            #expect(document.roles == ["Moderator", "Shop Owner"])
            #expect(document[type: "Product"]?.fields.first { $0.name == "count" }?.isNumber == true)
            #expect(try SchemaParser.parse(document.text).canonical == document.canonical)
            return
        }
        let document = try SchemaParser.parse(text)
        #expect(try SchemaParser.parse(document.text).canonical == document.canonical)
        var schema = Schema()
        try schema.apply(document)
        for type in document.canonical.recordTypes where !type.grants.isEmpty {
            #expect(SchemaDocument(schema)[type: type.name] == type)
        }
        if document.recordTypes.count == 1 {
            #expect(document.text.trimmingSuffix { $0.isNewline } == text[...], "laid out as it is exported")
        }
    }

    @Test func aDiffSaysWhatChanges() throws {
        let old = try SchemaParser.parse(
            "DEFINE SCHEMA CREATE ROLE a; RECORD TYPE Gone (x INT64); "
                + "RECORD TYPE T (kept STRING QUERYABLE, typed INT64, left BYTES, GRANT READ TO \"_world\");")
        let new = try SchemaParser.parse(
            "DEFINE SCHEMA CREATE ROLE b; RECORD TYPE New (y LIST<DOUBLE>); "
                + "RECORD TYPE T (kept STRING SORTABLE, typed DOUBLE, GRANT WRITE TO b);")
        #expect(
            SchemaDiff(from: old, to: new).description == """
                + ROLE b
                - ROLE a
                - RECORD TYPE Gone
                + RECORD TYPE New
                    + y LIST<DOUBLE>
                ~ RECORD TYPE T
                    + kept: SORTABLE
                    - kept: QUERYABLE
                    - left BYTES
                    ! typed INT64 -> DOUBLE
                    + GRANT WRITE TO "b"
                    - GRANT READ TO "_world"
                """)
    }
}

extension String {
    fileprivate func trimmingSuffix(while condition: (Character) -> Bool) -> Substring {
        var rest = self[...]
        while let last = rest.last, condition(last) { rest.removeLast() }
        return rest
    }
}

/// Random documents, the same for the same seed.
private struct RandomSchemas {
    var generator: SeededRandom

    private static let names = ["a", "B", "grant", "Sortable", "list", "To", "x_1", "READ", "encrypted", "define"]

    /// - Parameter isPlain: Without what stands for something else: bare numbers and absent grants.
    mutating func document(isPlain: Bool = false) -> SchemaDocument {
        var document = SchemaDocument()
        document.roles = ["editor", "with blank", "queryable"].filter { _ in generator.chance(50) }
        for name in Self.names where generator.chance(40) {
            var type = SchemaDocument.RecordType(name: name)
            for field in Self.names where generator.chance(50) { type.fields.append(self.field(field, isPlain)) }
            for declaration in SystemFieldDeclaration.all {
                guard let field = declaration.field, generator.chance(40) else { continue }
                type.systemFields[field] = kinds(field.allIndexKinds)
            }
            for role in document.roles + Grant.systemRoles {
                type.grants += Grant.Permission.allCases.filter { _ in generator.chance(40) }
                    .map { Grant(permission: $0, role: role) }
            }
            if isPlain, type.grants.isEmpty { type.grants = Grant.defaults }
            document.recordTypes.append(type)
        }
        return document
    }

    private mutating func field(_ name: String, _ isPlain: Bool) -> SchemaDocument.Field {
        if !isPlain, generator.chance(10) {
            let type = FieldType(.double, isList: generator.chance(50))
            return SchemaDocument.Field(name: name, type: type, kinds: [], isNumber: true)
        }
        let scalar = ScalarType.allCases.randomElement(using: &generator) ?? .string
        let type = FieldType(
            scalar, isList: generator.chance(30), isEncrypted: scalar.canBeEncrypted && generator.chance(30))
        return SchemaDocument.Field(name: name, type: type, kinds: kinds(FieldIndex.allKinds(for: type)))
    }

    private mutating func kinds(_ possible: FieldIndex.Kinds) -> FieldIndex.Kinds {
        var kinds: FieldIndex.Kinds = []
        for kind in [FieldIndex.Kinds.queryable, .sortable, .searchable]
        where possible.contains(kind) && generator.chance(50) {
            kinds.insert(kind)
        }
        return kinds
    }
}
