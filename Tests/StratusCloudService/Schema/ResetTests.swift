import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

/// Development goes back to production's schema, without data.
@Suite struct ResetTests {
    @Test(arguments: Engine.allCases)
    func everythingGoesButTheCounters(_ engine: Engine) async throws {
        let cloud = try await TestCloud(engine)
        let (service, context) = (cloud.service, cloud.context)
        try await service.createAccount(email: "a@example.org", password: "correct horse")
        let name = try await service.userRecordName(email: "a@example.org", in: context)
        let person = Caller(context: context, principal: .user(name))
        _ = try await service.importSchema(
            "DEFINE SCHEMA CREATE ROLE editor; RECORD TYPE Note (a INT64 QUERYABLE);", to: context)
        _ = try await service.deploySchema(of: context.container)
        try await service.setMembership(of: name, inRole: "editor", true, in: context)
        try await cloud.makeZone("Z")
        let first = try await cloud.modify([.make(.create, "r", ["a": .integer(1), "extra": .text("x")])], as: person)
        _ = try await cloud.modify([.make(.create, "p", ["a": .integer(1)])], in: .public, as: person)
        _ = try await cloud.modify([.make(.create, "z", ["a": .integer(1)])], zone: "Z")
        let tag = try #require(first.first?.saved?.recordChangeTag)

        try await service.resetDevelopment(of: context.container, by: "ada")
        let text = try await service.schemaText(of: context)
        let production = try await service.schemaText(of: context.production)
        #expect(text == production)
        #expect(!text.contains("extra"))
        #expect(try await service.members(ofRole: "editor", in: context).isEmpty)
        #expect(try await cloud.lookup(["r"], as: person).first?.error?.code == .notFound)
        #expect(try await cloud.lookup(["p"], in: .public).first?.error?.code == .notFound)
        #expect(try await cloud.lookup(["z"], zone: "Z").first?.error?.code == .zoneNotFound)
        #expect(try await cloud.lookup([name], in: .public).first?.saved != nil, "users have their records")
        for scope in [DatabaseScope.private, .public] {
            let usage = try await service.usage(of: scope, as: person)
            #expect(usage.assetBytes == 0 && usage.recordBytes < 200, "\(usage)")
        }
        let again = try await cloud.modify([.make(.create, "r", ["a": .integer(1)])], as: person)
        #expect(again.first?.saved?.recordChangeTag != tag, "no tag of before fits a record of after")
        let query = QueryRecordsRequest(
            query: Query(recordType: "Note", filters: [Filter(.equals, .named("a"), FieldInput(.integer(1)))]))
        #expect(try await service.queryRecords(query, in: .private, as: person).records.map(\.recordName) == ["r"])
        #expect(try await service.schemaHistory(of: context).first?.kind == .reset)
        await cloud.store.close()
    }

    @Test func whatACrashCutShortIsFinishedBeforeAnythingIsSaved() async throws {
        let cloud = try await TestCloud()
        _ = try await cloud.modify([.make(.create, "r", ["a": .integer(1)])])
        _ = try await cloud.service.schemas.change(cloud.context) { schema, _ in schema.isBeingReset = true }
        let next = try await TestCloud(restarting: cloud)
        #expect(try await Self.code { try await next.modify([.make(.create, "s")]) } == .tryAgainLater)
        try await next.service.buildIndexes()
        #expect(try await next.lookup(["r"]).first?.error?.code == .notFound)
        #expect(try await next.modify([.make(.create, "s")]).first?.saved != nil)
        // Done once and for all.
        try await next.service.buildIndexes()
        #expect(try await next.lookup(["s"]).first?.saved != nil)
    }

    private static func code<Result>(_ body: () async throws -> Result) async throws -> CloudError.Code? {
        do {
            _ = try await body()
            return nil
        } catch let error as CloudError {
            return error.code
        }
    }
}
