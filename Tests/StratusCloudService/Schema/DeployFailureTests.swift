import StratusCloudModel
import StratusCloudStore
import StratusWorkers
import Testing

@testable import StratusCloudService

/// Threat 56: a failure in the middle of a deployment or a roll-back leaves production with all of it or nothing, and a
/// history that says so.
@Suite struct DeployFailureTests {
    private static let first = """
        DEFINE SCHEMA RECORD TYPE Note (
            "___recordID" REFERENCE QUERYABLE, title STRING, count INT64, GRANT CREATE TO "_icloud"
        );
        """
    private static let second = """
        DEFINE SCHEMA CREATE ROLE editor;
        RECORD TYPE Note (
            "___recordID" REFERENCE QUERYABLE, title STRING SEARCHABLE, count INT64 QUERYABLE SORTABLE, tag STRING,
            GRANT CREATE TO "_icloud", GRANT WRITE TO editor
        );
        RECORD TYPE Folder (name STRING QUERYABLE, GRANT READ TO "_world");
        """
    private static let records = 250

    /// A store whose commit of a number fails, and what production says with the first deployment and the second.
    private struct World {
        let store = MemoryStore()
        let cloud: TestCloud
        private(set) var texts: [String] = []

        /// - Parameter deployments: How many of the two there are already.
        init(deployments: Int) async throws {
            cloud = try await TestCloud(store: store, environment: .production)
            let service = cloud.service
            for (number, text) in [DeployFailureTests.first, DeployFailureTests.second].enumerated() {
                _ = try await service.importSchema(text, to: cloud.context.development)
                let planned = try await service.deploySchema(of: cloud.context.container, isTrial: true)
                #expect(!planned.diff.isEmpty)
                if number < deployments { try await deploy(named: "\(number + 1)") }
                if number == 0 { try await fill() }
                texts.append(try await service.schemaText(of: cloud.context.development))
            }
            try await service.buildIndexes()
        }

        private func fill() async throws {
            for start in stride(from: 0, to: DeployFailureTests.records, by: 125) {
                _ = try await cloud.modify(
                    (start..<start + 125).map {
                        .make(.create, "r\($0)", ["title": .text("word\($0 % 7) all"), "count": .integer(Int64($0))])
                    })
            }
        }

        func deploy(named name: String) async throws(CloudError) {
            _ = try await cloud.service.deploySchema(of: cloud.context.container, named: name, by: "ada")
        }

        /// - Returns: how many commits there were, and whether something failed.
        func failing(
            atCommit number: Int, afterCommit: Bool, _ body: () async throws(CloudError) -> Void
        ) async -> (commits: Int, hasFailed: Bool) {
            let count = Lock(0)
            @Sendable func failIfDue() {
                if count.withLock({ $0 == number }) {
                    store.failNextCommit(with: StoreError(.ioFailure, "injected"), afterCommit: afterCommit)
                }
            }
            failIfDue()
            store.observeCommits { _ in
                count.withLock { $0 += 1 }
                failIfDue()
            }
            defer { store.observeCommits(nil) }
            do {
                try await body()
                // What was to fail next fails here.
                await #expect(throws: StoreError.self) {
                    try await store.write(Partition("nothing")) { $0.set(Key([1]), [UInt8]()) }
                }
                return (count.withLock { $0 }, false)
            } catch {
                #expect(error.code == .tryAgainLater, "\(error)")
                return (count.withLock { $0 }, true)
            }
        }

        /// Production has one of the schemas, the history's latest change led to it, and whoever comes after a restart
        /// sees what the service that failed sees.
        /// - Returns: whether it is the second one.
        func expectWhole(
            _ next: TestCloud, _ comment: Comment, sourceLocation: SourceLocation = #_sourceLocation
        ) async throws -> Bool {
            let text = try await next.service.schemaText(of: next.context)
            let place = try #require(texts.firstIndex(of: text), comment, sourceLocation: sourceLocation)
            let history = try await next.service.schemaHistory(of: next.context)
            #expect(
                try await cloud.service.schemaText(of: cloud.context) == text, comment, sourceLocation: sourceLocation)
            #expect(
                try await cloud.service.schemaHistory(of: cloud.context) == history, comment,
                sourceLocation: sourceLocation)
            #expect(history.map(\.number) == (1...UInt64(history.count)).reversed(), sourceLocation: sourceLocation)
            let latest = try #require(history.first, sourceLocation: sourceLocation)
            let isSecond = latest.kind == .deploy && latest.name == "2"
            #expect(isSecond == (place == 1), "\(comment): \(latest)", sourceLocation: sourceLocation)
            return place == 1
        }

        /// The indexes of the second schema find every record.
        func expectBuilt(_ next: TestCloud, _ comment: Comment) async throws {
            try await next.service.buildIndexes()
            #expect(try await next.service.indexes(of: next.context).allSatisfy(\.isComplete), comment)
            let query = Query(
                recordType: "Note", filters: [Filter(.containsAllTokens, .named("title"), FieldInput(.text("word3")))])
            let found = try await next.service.queryRecords(
                QueryRecordsRequest(query: query), in: .private, as: next.user())
            #expect(found.records.count == (0..<DeployFailureTests.records).count { $0 % 7 == 3 }, comment)
            let report = try await next.service.checkConsistency(repairing: false)
            #expect(report.problems == 0, "\(comment): \(report)")
        }
    }

    @Test("A deployment that fails is not there, or all of it is, with its entry in the history")
    func deployments() async throws {
        for isAfterCommit in [false, true] {
            let world = try await World(deployments: 1)
            let (commits, hasFailed) = await world.failing(atCommit: 0, afterCommit: isAfterCommit) {
                () throws(CloudError) in try await world.deploy(named: "2")
            }
            #expect(hasFailed && commits == (isAfterCommit ? 1 : 0))
            let next = try await TestCloud(restarting: world.cloud)
            let comment: Comment = "after the commit: \(isAfterCommit)"
            #expect(try await world.expectWhole(next, comment) == isAfterCommit)
            // Once more, as whoever was told of a failure does.
            _ = try await next.service.deploySchema(of: next.context.container, named: "2", by: "ada")
            try await world.expectBuilt(next, comment)
        }
    }

    @Test("A build begun by a deployment that fails on its way leaves the new schema whole, and goes on")
    func builds() async throws {
        var number = 0
        var isThrough = false
        while !isThrough {
            for isAfterCommit in [false, true] {
                let world = try await World(deployments: 1)
                let (_, hasFailed) = await world.failing(atCommit: number, afterCommit: isAfterCommit) {
                    () throws(CloudError) in
                    try await world.deploy(named: "2")
                    try await world.cloud.service.buildIndexes()
                }
                isThrough = !hasFailed
                let comment: Comment = "commit \(number), after it: \(isAfterCommit)"
                let next = try await TestCloud(restarting: world.cloud)
                let isSecond = try await world.expectWhole(next, comment)
                #expect(isSecond == (number > 0 || isAfterCommit), comment)
                if isSecond { try await world.expectBuilt(next, comment) }
            }
            number += 1
        }
        // The deployment, three steps at least, and the end of the build.
        #expect(number > 5)
    }

    @Test("A roll-back that fails is not there, or all of it is, with its entry; what it left is cleared later")
    func rollBacks() async throws {
        var number = 0
        var isThrough = false
        while !isThrough {
            for isAfterCommit in [false, true] {
                let world = try await World(deployments: 2)
                let (_, hasFailed) = await world.failing(atCommit: number, afterCommit: isAfterCommit) {
                    () throws(CloudError) in
                    _ = try await world.cloud.service.rollBackSchema(of: world.cloud.context, change: 2, by: "ada")
                    try await world.cloud.service.buildIndexes()
                }
                isThrough = !hasFailed
                let comment: Comment = "commit \(number), after it: \(isAfterCommit)"
                let next = try await TestCloud(restarting: world.cloud)
                #expect(try await world.expectWhole(next, comment) == (number == 0 && !isAfterCommit), comment)
                // What could not be saved while it was looked for who has it can be: nothing stays frozen.
                let saved = try await world.cloud.modify([.make(.forceReplace, "r1", ["title": .text("word1 all")])])
                #expect(saved.first?.saved != nil, comment)
                try await next.service.buildIndexes()
                #expect(try await next.service.schema(of: next.context).droppedIndexes.isEmpty, comment)
                #expect(try await next.service.checkConsistency(repairing: false).problems == 0, comment)
                try await restored(world, next, comment)
            }
            number += 1
        }
        // The roll-back, a range at least for each index that is gone, and that they are forgotten.
        #expect(number > 3)
    }

    /// What was taken back can be deployed again, and is built from nothing that is left.
    private func restored(_ world: World, _ next: TestCloud, _ comment: Comment) async throws {
        _ = try await next.service.deploySchema(of: next.context.container, named: "2", by: "ada")
        #expect(try await next.service.schemaText(of: next.context) == world.texts[1], comment)
        try await world.expectBuilt(next, comment)
    }
}
