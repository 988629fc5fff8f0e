import CloudKit
import StratusTesting
import Testing

/// The introduction's section on the development and production environments.
@Suite struct EnvironmentTests {
    private static let schema = """
        DEFINE SCHEMA
        RECORD TYPE ReferenceItems (
            name STRING QUERYABLE,
            GRANT READ, CREATE, WRITE TO "_creator",
            GRANT READ TO "_world",
            GRANT CREATE TO "_icloud"
        );
        """

    @Test("In development a new field is added to the schema by saving it")
    func developmentLearns() async throws {
        let database = try await LocalCloud().account("ada").container.publicCloudDatabase
        let record = try await database.save(referenceItem("Lamp"))
        record["price"] = 20
        #expect(try await database.save(record)["price"] == 20)
    }

    @Test("A field keeps the type that it was first saved with")
    func typesStay() async throws {
        let database = try await LocalCloud().account("ada").container.publicCloudDatabase
        let record = try await database.save(referenceItem("Lamp"))
        record["name"] = 7
        let refused = await failure { try await database.save(record) }
        #expect(refused?.code == .invalidArguments && refused?.localizedDescription.contains("name") == true)
    }

    @Test("In production a save with an unknown field or type is an error and changes nothing")
    func productionIsFixed() async throws {
        let cloud = try await LocalCloud(.init(environment: .production, schema: Self.schema))
        let database = cloud.account("ada").container.publicCloudDatabase
        let record = try await database.save(referenceItem("Lamp", recordName: "lamp"))
        record["price"] = 20
        let field = await failure { try await database.save(record) }
        let type = await failure { try await database.save(CKRecord(recordType: "Unknown")) }
        #expect(field?.code == .invalidArguments && type?.code == .invalidArguments)
        #expect(try await database.record(for: record.recordID).allKeys() == ["name"])
    }
}
