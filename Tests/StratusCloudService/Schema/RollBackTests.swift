import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

/// What a change added is taken back, whatever it is, as long as nobody uses it.
@Suite struct RollBackTests {
    private static let first = """
        DEFINE SCHEMA RECORD TYPE Note (
            "___recordID" REFERENCE QUERYABLE, title STRING QUERYABLE, count INT64,
            GRANT READ TO "_world", GRANT CREATE TO "_icloud", GRANT WRITE TO "_creator"
        );
        """
    private static let second = """
        DEFINE SCHEMA CREATE ROLE editor; CREATE ROLE guest; RECORD TYPE Note (
            "___recordID" REFERENCE QUERYABLE, "___createTime" TIMESTAMP SORTABLE, title STRING QUERYABLE SEARCHABLE,
            count INT64 QUERYABLE SORTABLE,
            GRANT READ TO "_world", GRANT CREATE TO "_icloud", GRANT WRITE TO editor
        );
        """

    /// Production after a first deployment and a second one.
    private func deployed(_ first: String = first, _ second: String = second) async throws -> TestCloud {
        let cloud = try await TestCloud(environment: .production)
        for text in [first, second] {
            _ = try await cloud.service.importSchema(text, to: cloud.context.development)
            _ = try await cloud.service.deploySchema(of: cloud.context.container)
        }
        return cloud
    }

    private func refusal(
        _ cloud: TestCloud, of change: UInt64 = 2, in context: CloudContext? = nil
    ) async throws -> String {
        let before = try await cloud.service.schemaText(of: context ?? cloud.context)
        let error = await #expect(throws: CloudError.self) {
            _ = try await cloud.service.rollBackSchema(of: context ?? cloud.context, change: change)
        }
        #expect(error?.code == .conflict, "\(String(describing: error))")
        #expect(try await cloud.service.schemaText(of: context ?? cloud.context) == before, "the whole or nothing")
        return error?.reason ?? ""
    }

    @Test func indexesRolesAndPermissionsAreTakenBack() async throws {
        let cloud = try await TestCloud(environment: .production)
        _ = try await cloud.service.importSchema(Self.first, to: cloud.context.development)
        _ = try await cloud.service.deploySchema(of: cloud.context.container)
        let before = try await cloud.service.schemaText(of: cloud.context)
        _ = try await cloud.service.importSchema(Self.second, to: cloud.context.development)
        _ = try await cloud.service.deploySchema(of: cloud.context.container)
        #expect(try await cloud.modify([.make(.create, "r", ["count": .integer(1)])]).first?.saved != nil)
        let diff = try await cloud.service.rollBackSchema(of: cloud.context, change: 2)
        #expect(
            Set(diff.changes) == [
                .roleRemoved("editor"), .roleRemoved("guest"),
                .indexesRemoved(recordType: "Note", field: "___createTime", indexes: ["SORTABLE"]),
                .indexesRemoved(recordType: "Note", field: "title", indexes: ["SEARCHABLE"]),
                .indexesRemoved(recordType: "Note", field: "count", indexes: ["QUERYABLE", "SORTABLE"]),
                .grantAdded(recordType: "Note", permission: "WRITE", role: "_creator"),
                .grantRemoved(recordType: "Note", permission: "WRITE", role: "editor"),
            ])
        #expect(try await cloud.service.schemaText(of: cloud.context) == before)
        // What the indexes left is cleared, and they can be deployed and built again.
        try await cloud.service.buildIndexes()
        #expect(try await cloud.service.schema(of: cloud.context).droppedIndexes.isEmpty)
        _ = try await cloud.service.deploySchema(of: cloud.context.container)
        try await cloud.service.buildIndexes()
        #expect(try await cloud.service.indexes(of: cloud.context).allSatisfy(\.isComplete))
        _ = try await cloud.service.rollBackSchema(of: cloud.context, change: 4)
        #expect(try await cloud.service.schemaText(of: cloud.context) == before)
    }

    @Test func aRoleInUseStandsInTheWay() async throws {
        let cloud = try await deployed()
        let member = try #require(cloud.user("b").userRecordName)
        try await cloud.service.setMembership(of: member, inRole: "guest", true, in: cloud.context)
        #expect(try await refusal(cloud) == "role 'guest' has 1 member: remove them first")
        try await cloud.service.setMembership(of: member, inRole: "guest", false, in: cloud.context)
        // Another type, deployed later, grants one of them something.
        _ = try await cloud.service.importSchema(
            Self.second + "RECORD TYPE Memo (text STRING, GRANT READ TO guest);", to: cloud.context.development)
        _ = try await cloud.service.deploySchema(of: cloud.context.container)
        #expect(try await refusal(cloud) == "record type 'Memo' grants permissions to role 'guest'")
        _ = try await cloud.service.rollBackSchema(of: cloud.context, change: 3)
        _ = try await cloud.service.rollBackSchema(of: cloud.context, change: 2)
        #expect(try await cloud.service.roles(of: cloud.context).isEmpty)
        #expect(try await refusal(cloud) == "nothing that change 2 added still exists")
    }

    /// A later change made others of the permissions: they are its own, and go with it.
    @Test func permissionsOfALaterChangeStay() async throws {
        let cloud = try await deployed()
        _ = try await cloud.service.importSchema(
            Self.second.replacing("GRANT WRITE TO editor", with: "GRANT READ, WRITE TO editor"),
            to: cloud.context.development)
        _ = try await cloud.service.deploySchema(of: cloud.context.container)
        #expect(try await refusal(cloud) == "record type 'Note' grants permissions to role 'editor'")
        let diff = try await cloud.service.rollBackSchema(of: cloud.context, change: 3)
        #expect(diff.changes == [.grantRemoved(recordType: "Note", permission: "READ", role: "editor")])
        _ = try await cloud.service.rollBackSchema(of: cloud.context, change: 2)
        let text = try await cloud.service.schemaText(of: cloud.context)
        #expect(!text.contains("editor") && text.contains("GRANT WRITE TO \"_creator\""))
    }

    @Test func whatProductionHasStaysInDevelopment() async throws {
        let cloud = try await deployed()
        let development = cloud.context.development
        let reason = try await refusal(cloud, of: 2, in: development)
        #expect(reason == "role 'editor' is in production and cannot be removed from development")
        _ = try await cloud.service.importSchema(
            Self.second + "RECORD TYPE Memo (text STRING);", to: development)
        _ = try await cloud.service.deploySchema(of: cloud.context.container)
        #expect(
            try await refusal(cloud, of: 3, in: development)
                == "record type 'Memo' is in production and cannot be removed from development")
        // Indexes may go there at any time.
        _ = try await cloud.service.importSchema(
            Self.second.replacing("count INT64 QUERYABLE SORTABLE", with: "count INT64")
                + "RECORD TYPE Memo (text STRING);", to: development)
        _ = try await cloud.service.importSchema(Self.second + "RECORD TYPE Memo (text STRING);", to: development)
        let diff = try await cloud.service.rollBackSchema(of: development, change: 5)
        #expect(
            diff.changes == [
                .indexesRemoved(recordType: "Note", field: "count", indexes: ["QUERYABLE", "SORTABLE"])
            ])
    }

    /// Entries of earlier versions know of record types and fields only.
    @Test func entriesOfEarlierVersionsAreRead() async throws {
        let cloud = try await deployed(Self.first, Self.second + "RECORD TYPE Memo (text STRING);")
        var entry = try #require(try await cloud.service.schemaHistory(of: cloud.context).first)
        #expect(entry.additions.parts.recordTypes == ["Memo"] && entry.additions.roles == ["editor", "guest"])
        entry.additions.indexes = [:]
        entry.additions.roles = []
        entry.additions.grants = [:]
        var former = entry.stored
        former[0] = 1
        // Three lists of nothing at the end.
        former.removeLast(3)
        let read = try SchemaHistoryEntry(stored: former)
        #expect(read == entry)
    }
}
