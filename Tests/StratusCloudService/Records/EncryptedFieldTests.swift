import StratusCloudModel
import Testing

@testable import StratusCloudService

/// What devices encrypted: bytes in which the service sees nothing.
@Suite struct EncryptedFieldTests {
    private func save(
        _ name: String, _ field: FieldInput, _ cloud: TestCloud, type: String = "Note",
        in scope: DatabaseScope = .private
    ) async throws -> RecordResult {
        let input = RecordInput(recordName: name, recordType: type, fields: [("secret", field)])
        return try await cloud.modify([RecordOperation(.forceUpdate, input)], in: scope)[0]
    }

    @Test("sealed bytes go into an encrypted field of any type, and come back as they are")
    func sealedBytes() async throws {
        let sealed = Field(.scalar(.bytes([1, 2, 3])), isEncrypted: true)
        for type in [ScalarType.string, .int64, .double, .timestamp, .location, .bytes] {
            let cloud = try await TestCloud()
            let values: [ScalarType: ScalarValue] = [
                .string: .string("x"), .int64: .int64(1), .double: .double(1),
                .timestamp: .timestamp(Timestamp(milliseconds: 1)),
                .location: .location(Location(latitude: 1, longitude: 1)), .bytes: .bytes([]),
            ]
            // A client of the web services, which encrypts nothing, gives the field its type.
            let plain = Field(.scalar(try #require(values[type])), isEncrypted: true)
            #expect(try await save("web", FieldInput(plain), cloud).saved?.fields["secret"] == plain)
            #expect(try await save("device", FieldInput(sealed), cloud).saved?.fields["secret"] == sealed)
            #expect(try await cloud.lookup(["device"])[0].saved?.fields["secret"] == sealed)
            let query = Query(
                recordType: "Note",
                filters: [Filter(.equals, .named("secret"), FieldInput(Field(.scalar(.bytes([1, 2, 3])))))])
            let error = await #expect(throws: CloudError.self) {
                try await cloud.service.queryRecords(
                    QueryRecordsRequest(query: query), in: .private, as: cloud.user())
            }
            #expect(error?.code == .badRequest)
        }
    }

    @Test("case 25: plain and encrypted fields stay what they are") func kinds() async throws {
        let cloud = try await TestCloud()
        let bytes = FieldValue.scalar(.bytes([1]))
        #expect(try await save("a", FieldInput(Field(bytes)), cloud).saved != nil)
        #expect(try await save("b", FieldInput(Field(bytes, isEncrypted: true)), cloud).error?.code == .badRequest)
        let encrypted = FieldInput(Field(bytes, isEncrypted: true))
        #expect(try await save("a", encrypted, cloud, type: "Memo").error != nil, "the record has another type")
        #expect(try await save("m", encrypted, cloud, type: "Memo").saved != nil)
        #expect(try await save("n", FieldInput(Field(bytes)), cloud, type: "Memo").error?.code == .badRequest)
        #expect(try await save("p", encrypted, cloud, type: "Memo", in: .public).error?.code == .badRequest)
    }

    @Test("in production devices can keep their keys, and nothing else that is not in the schema") func production()
        async throws
    {
        let cloud = try await TestCloud(environment: .production)
        let keys = FieldInput(Field(.scalar(.bytes([1]))))
        #expect(try await save("k", keys, cloud, type: SystemRecordType.encryptionKeys).saved != nil)
        #expect(try await cloud.lookup(["k"])[0].saved?.fields["secret"]?.value == .scalar(.bytes([1])))
        #expect(try await save("n", keys, cloud).error?.code == .badRequest)
        let inPublic = try await save(
            "k", keys, try await TestCloud(environment: .production), type: SystemRecordType.encryptionKeys, in: .public
        )
        #expect(inPublic.error?.code == .badRequest)
    }
}
