import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

/// Development changes freely, as far as nothing is lost; production only grows.
@Suite struct EnvironmentTests {
    private static let note =
        "RECORD TYPE Note (title STRING QUERYABLE, count INT64, \"___recordID\" REFERENCE QUERYABLE);"

    private func text(_ types: String) -> String { "DEFINE SCHEMA \(types)" }

    private func refusal(
        _ code: CloudError.Code, _ words: String..., by body: () async throws(CloudError) -> Void,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        do {
            try await body()
            Issue.record("nothing was refused", sourceLocation: sourceLocation)
        } catch {
            #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
            for word in words { #expect(error.reason.contains(word), "\(error)", sourceLocation: sourceLocation) }
        }
    }

    @Test func anImportIsTheWholeSchema() async throws {
        let cloud = try await TestCloud()
        let first = try await cloud.service.importSchema(
            text(Self.note + "RECORD TYPE Other (x INT64);"), to: cloud.context)
        #expect(first.changes.contains(.recordTypeAdded("Other")))
        let trial = try await cloud.service.importSchema(text(Self.note), to: cloud.context, isTrial: true)
        #expect(trial.changes == [.recordTypeRemoved("Other")])
        #expect(try await cloud.service.schemaText(of: cloud.context).contains("Other"), "a trial changes nothing")
        _ = try await cloud.service.importSchema(text(Self.note), to: cloud.context)
        let exported = try await cloud.service.schemaText(of: cloud.context)
        #expect(!exported.contains("Other") && exported.contains("Users"))
        #expect(try await cloud.service.importSchema(exported, to: cloud.context).isEmpty)
    }

    @Test func whatRecordsHaveStays() async throws {
        let cloud = try await TestCloud()
        _ = try await cloud.service.importSchema(text(Self.note), to: cloud.context)
        let saved = try await cloud.modify([.make(.create, "r", ["title": .text("x"), "count": .integer(1)])])
        #expect(saved.first?.saved != nil)
        await refusal(.conflict, "'Note'") { () throws(CloudError) in
            _ = try await cloud.service.importSchema(text(""), to: cloud.context)
        }
        await refusal(.conflict, "'count'", "'Note'") { () throws(CloudError) in
            _ = try await cloud.service.importSchema(
                text("RECORD TYPE Note (title STRING QUERYABLE);"), to: cloud.context)
        }
        await refusal(.conflict, "'count'") { () throws(CloudError) in
            _ = try await cloud.service.importSchema(
                text("RECORD TYPE Note (title STRING QUERYABLE, count ENCRYPTED INT64);"), to: cloud.context)
        }
        // Refused attempts leave no trace: saves go on.
        #expect(try await cloud.modify([.make(.create, "s", ["count": .integer(2)])]).first?.saved != nil)
        for name in ["r", "s"] {
            #expect(try await cloud.modify([.make(.forceDelete, name)]).first?.isDeleted == true)
        }
        let diff = try await cloud.service.importSchema(
            text("RECORD TYPE Note (title STRING QUERYABLE, count STRING);"), to: cloud.context)
        #expect(diff.changes.contains { if case .fieldTypeChanged = $0 { true } else { false } })
        #expect(try await cloud.modify([.make(.create, "t", ["count": .text("x")])]).first?.saved != nil)
    }

    /// The limit is one of bytes, at a line's end.
    @Test(arguments: [0, 1])
    func theHistoryKeepsWholeLines(beyond: Int) {
        let line = "    + field STRING\n"
        let head = String(repeating: line, count: 100)
        let long = head + String(repeating: "x", count: ServiceLimits.historyDiffSize - head.utf8.count + beyond)
        #expect(SchemaHistoryEntry.shortened(long) == (beyond == 0 ? long : String(head.dropLast())))
        let exact = String(repeating: "y", count: ServiceLimits.historyDiffSize)
        #expect(SchemaHistoryEntry.shortened(exact + "\n" + line) == exact)
    }

    @Test func savesWhileAFieldIsAboutToGoAreToBeTriedAgain() async throws {
        let cloud = try await TestCloud()
        _ = try await cloud.service.importSchema(text(Self.note), to: cloud.context)
        var parts = SchemaParts()
        parts.insert(field: "count", of: "Note")
        let codes = try await cloud.service.withNobodyHaving(parts, in: cloud.context) { () throws(CloudError) in
            do {
                return try await cloud.modify([
                    .make(.create, "a", ["count": .integer(1)]), .make(.create, "b", ["title": .text("x")]),
                ]).map(\.error?.code)
            } catch {
                throw CloudError(.internalError, "\(error)")
            }
        }
        #expect(codes == [.tryAgainLater, nil])
        #expect(try await cloud.modify([.make(.create, "c", ["count": .integer(1)])]).first?.saved != nil)
    }

    @Test func productionGrowsByDeploymentsOnly() async throws {
        let cloud = try await TestCloud()
        let (service, container) = (cloud.service, cloud.context.container)
        await refusal(.badRequest, "deploy") { () throws(CloudError) in
            _ = try await service.importSchema(text(Self.note), to: cloud.context.production)
        }
        _ = try await service.importSchema(text(Self.note + "CREATE ROLE editor;"), to: cloud.context)
        let planned = try await service.deploySchema(of: container, isTrial: true)
        #expect(try await service.schemaHistory(of: cloud.context.production).isEmpty)
        cloud.clock.withLock { $0 += 1_000 }
        let done = try await service.deploySchema(of: container, named: "1.0", by: "ada")
        #expect(done.diff == planned.diff)
        let entry = try #require(try await service.schemaHistory(of: cloud.context.production).first)
        #expect(entry.name == "1.0" && entry.by == "ada" && entry.time == cloud.clock.withLock { $0 })
        #expect(entry.diff.contains("+ RECORD TYPE Note"))
        #expect(try await service.deploySchema(of: container, isTrial: true).diff.isEmpty)

        // What production has cannot be removed from development, and its type cannot change there.
        await refusal(.conflict, "'Note'", "production") { () throws(CloudError) in
            _ = try await service.importSchema(text(""), to: cloud.context)
        }
        await refusal(.conflict, "'title'", "production") { () throws(CloudError) in
            _ = try await service.importSchema(
                text("RECORD TYPE Note (title ENCRYPTED STRING, count INT64);"), to: cloud.context)
        }
        // An index that development no longer has stays in production; grants become development's.
        _ = try await service.importSchema(
            text(
                "CREATE ROLE editor; RECORD TYPE Note (title STRING, count INT64, more DATE);".replacing(
                    "DATE", with: "BYTES")),
            to: cloud.context)
        _ = try await service.deploySchema(of: container)
        let printed = try await service.schemaText(of: cloud.context.production)
        #expect(printed.contains("QUERYABLE") && printed.contains("more"))
        #expect(try await service.roles(of: cloud.context.production) == ["editor"])
    }

    @Test("What is deployed is what was shown, though development or production changed meanwhile; what stays is told")
    func theDifferenceThatWasShown() async throws {
        let cloud = try await TestCloud()
        let (service, container) = (cloud.service, cloud.context.container)
        _ = try await service.importSchema(text(Self.note), to: cloud.context)
        let shown = try await service.plannedDeployment(of: container)
        #expect(shown.diff.description.contains("+ RECORD TYPE Note") && shown.kept.isEmpty && shown.obstacle == nil)
        let more = text(Self.note + "RECORD TYPE Memo (text STRING);")
        _ = try await service.importSchema(more, to: cloud.context)
        for isTrial in [true, false] {
            await refusal(.conflict, "changed since") { () throws(CloudError) in
                _ = try await service.deploySchema(
                    of: container, expecting: shown.diff.description, isTrial: isTrial)
            }
        }
        #expect(try await service.schemaHistory(of: cloud.context.production).isEmpty)
        let latest = try await service.plannedDeployment(of: container)
        let done = try await service.deploySchema(of: container, expecting: latest.diff.description)
        #expect(done.diff == latest.diff)
        // Twice by two admins: the second one is told.
        await refusal(.conflict, "changed since") { () throws(CloudError) in
            _ = try await service.deploySchema(of: container, expecting: latest.diff.description)
        }
        #expect(try await service.schemaHistory(of: cloud.context.production).count == 1)

        // An index that development gives up stays in production: there is nothing to deploy.
        _ = try await service.importSchema(more.replacing(" QUERYABLE, count", with: ", count"), to: cloud.context)
        let plan = try await service.plannedDeployment(of: container)
        #expect(plan.diff.isEmpty)
        #expect(plan.kept.changes == [.indexesAdded(recordType: "Note", field: "title", indexes: ["QUERYABLE"])])
    }

    /// Two developers change the schema at once: what the second one saves does not undo what they did not see.
    @Test func anImportIsWhatWasShown() async throws {
        let cloud = try await TestCloud()
        let service = cloud.service
        _ = try await service.importSchema(text(Self.note), to: cloud.context)
        let mine = text(Self.note.replacing("count INT64", with: "count INT64 SORTABLE"))
        let shown = try await service.importSchema(mine, to: cloud.context, isTrial: true)
        _ = try await service.importSchema(text(Self.note + "RECORD TYPE Theirs (x INT64);"), to: cloud.context)
        for isTrial in [true, false] {
            await refusal(.conflict, "changed since") { () throws(CloudError) in
                _ = try await service.importSchema(
                    mine, to: cloud.context, expecting: shown.description, isTrial: isTrial)
            }
        }
        #expect(try await service.schemaText(of: cloud.context).contains("Theirs"))
        let again = try await service.importSchema(mine, to: cloud.context, isTrial: true)
        #expect(again.changes.contains(.recordTypeRemoved("Theirs")))
        let done = try await service.importSchema(mine, to: cloud.context, expecting: again.description)
        #expect(done == again)
        #expect(try await service.schemaText(of: cloud.context).contains("Theirs") == false)
    }

    @Test func differentTypesAreNotDeployed() async throws {
        let cloud = try await TestCloud()
        try await cloud.service.applySchema(
            text("RECORD TYPE Note (a STRING, b INT64);"), to: cloud.context.production)
        try await cloud.service.applySchema(
            text("RECORD TYPE Note (a ENCRYPTED STRING); RECORD TYPE First (x INT64);"), to: cloud.context)
        for isTrial in [true, false] {
            await refusal(.conflict, "'a'", "STRING") { () throws(CloudError) in
                _ = try await cloud.service.deploySchema(of: cloud.context.container, isTrial: isTrial)
            }
        }
        let text = try await cloud.service.schemaText(of: cloud.context.production)
        #expect(!text.contains("First"), "all of it or nothing")
        let plan = try await cloud.service.plannedDeployment(of: cloud.context.container)
        #expect(plan.obstacle?.code == .conflict && plan.obstacle?.reason.contains("'a'") == true)
        #expect(plan.diff.changes.contains(.recordTypeAdded("First")) && plan.diff.description.contains("ENCRYPTED"))
    }

    @Test func anUnusedAdditionIsTakenBack() async throws {
        let cloud = try await TestCloud(environment: .production)
        let (service, development) = (cloud.service, cloud.context.development)
        _ = try await service.importSchema(text(Self.note), to: development)
        _ = try await service.deploySchema(of: cloud.context.container)
        _ = try await service.importSchema(
            text(
                "RECORD TYPE Note (title STRING QUERYABLE, count INT64, tag STRING QUERYABLE); RECORD TYPE New (x INT64);"
            ),
            to: development)
        _ = try await service.deploySchema(of: cloud.context.container, named: "two")
        #expect(try await cloud.modify([.make(.create, "r", ["tag": .text("x")])]).first?.saved != nil)
        await refusal(.conflict, "'tag'") { () throws(CloudError) in
            _ = try await service.rollBackSchema(of: cloud.context, change: 2)
        }
        #expect(try await cloud.modify([.make(.forceDelete, "r")]).first?.isDeleted == true)
        let diff = try await service.rollBackSchema(of: cloud.context, change: 2)
        #expect(
            diff.changes == [
                .recordTypeRemoved("New"),
                .fieldRemoved(recordType: "Note", field: "tag", type: "STRING QUERYABLE"),
            ])
        let refused = try await cloud.modify([.make(.create, "r", ["tag": .text("x")])]).first?.error
        #expect(refused?.code == .badRequest && refused?.reason.contains("'tag'") == true)
        await refusal(.conflict, "nothing") { () throws(CloudError) in
            _ = try await service.rollBackSchema(of: cloud.context, change: 2)
        }
        await refusal(.notFound, "9") { () throws(CloudError) in
            _ = try await service.rollBackSchema(of: cloud.context, change: 9)
        }
        // It can be deployed again, and its index knows nothing of before.
        _ = try await service.deploySchema(of: cloud.context.container)
        #expect(try await cloud.modify([.make(.create, "r", ["tag": .text("y")])]).first?.saved != nil)
    }
}
