import Foundation
import StratusTestSupport
import Testing

/// Indexes that are built from stored records, through kills.
@Suite("Indexes, durability", .serialized)
struct IndexDurabilityTests {
    private static let records = 20_000

    @Test("kill -9 in the middle of an index build: the next server goes on, and the index has every record")
    func killed() async throws {
        let cloud = try await Cloud()
        let tenant = try await Tenant(in: cloud)
        let target = ["--container", tenant.container, "--environment", "development"]
        try await importSchema("id STRING, size INT64", tenant, cloud)
        let rows = "id,size\n" + (0..<Self.records).map { "r\($0),\($0)\n" }.joined()
        let file = cloud.directory.path + "/rows.csv"
        try Data(rows.utf8).write(to: URL(filePath: file))
        _ = try await cloud.tool(
            ["import", file, "--type", "Note", "--name-field", "id", "--column", "size=INT64", "--database", "public"]
                + target)
        try await importSchema("id STRING, size INT64 QUERYABLE SORTABLE", tenant, cloud)
        // Some way in, and not at the end.
        var indexed: Int64 = 0
        while indexed == 0 {
            let indexes = try await cloud.tool(["schema", "indexes"] + target)["indexes"].array ?? []
            let size = try #require(indexes.first { $0["field"] == "size" })
            try #require(size["isComplete"] == false, "the build was over too soon to be killed")
            indexed = size["indexedRecords"].int ?? 0
            if indexed > 0 { #expect(size["totalRecords"].int == Int64(Self.records)) }
        }
        cloud.server.kill()
        _ = await cloud.server.ending

        let next = try await Cloud(directory: cloud.directory)
        var database = tenant.publicDatabase
        database.server = next.server.url
        let last = [Condition.sort("size", ascending: false)]
        var answer = try await database.query("Note", sorts: last, ["resultsLimit": 1])
        while answer.status == 503 {
            // What is saved meanwhile is in it, too.
            try await database.save(Change.create("Note", Unique.name("new"), Fields.untyped(["size": 1_000_000])))
            answer = try await database.query("Note", sorts: last, ["resultsLimit": 1])
        }
        #expect(answer.status == 200, "\(answer)")
        let found = try await next.tool(
            ["query", "--type", "Note", "--filter", "size < \(Self.records)", "--limit", "\(Self.records + 1)"]
                + ["--database", "public"] + target)
        #expect(found["records"].array?.count == Self.records)
    }

    private func importSchema(_ field: String, _ tenant: Tenant, _ cloud: Cloud) async throws {
        let file = cloud.directory.path + "/" + Unique.name("schema")
        try "DEFINE SCHEMA RECORD TYPE Note (\"___recordID\" REFERENCE QUERYABLE, \(field));"
            .write(toFile: file, atomically: true, encoding: .utf8)
        _ = try await cloud.tool(["schema", "import", file, "--container", tenant.container])
    }
}
