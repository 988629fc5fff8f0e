import Foundation
import StratusCloudModel
import StratusCloudService
import StratusCloudStore
import StratusWaiting
import Testing

@testable import StratusCloudServer

/// Figures, the log, users and pushes: what developers see of what goes on, and what they do not.
@Suite struct ConsoleTelemetryTests {
    private static let development = "c/\(TestCloud.container)/development"

    /// The n-th last value of a series.
    private func last(_ answer: RawResponse, _ name: String, back: Int = 0) -> Double? {
        answer.last(name, back: back)
    }

    private func save(_ place: ConsolePlace, _ name: String, token: String) async throws {
        let body = String(
            decoding: try JSONSerialization.data(withJSONObject: Body.save("Note", name, ["text": "hello"])),
            as: UTF8.self)
        let answer = try await place.cloud.call("POST", "private/records/modify", token: token, body: body)
        try #require(answer.status == 200)
    }

    @Test func requestsErrorsAndTimesAreCountedByTheMinute() async throws {
        let pauses = ManualClock()
        let place = try await ConsolePlace(try await TestCloud(pauses: pauses))
        let token = try await place.cloud.webAuthToken()
        try await save(place, "one", token: token)
        #expect(try await place.cloud.call("POST", "private/records/query", token: token, body: "{}").status == 400)
        let first = try await place.owner.get("\(Self.development)/telemetry?minutes=5")
        #expect(first.status == 200 && first.json["step"] as? Int == 60)
        #expect(last(first, "requests") == 2)
        #expect(last(first, "requests", back: 1) == 0)
        let errors = (first.json["series"] as? [String: Any])?["errors"] as? [String: [Int]]
        #expect(errors?.keys.sorted() == ["records/query"])
        #expect(errors?["records/query"]?.last == 1)
        #expect((last(first, "latency50") ?? 0) > 0)
        #expect(last(first, "latency50", back: 1) == nil)
        #expect((last(first, "latency99") ?? 0) >= (last(first, "latency50") ?? 0))
        // The keeper takes it to the disk; then the next minute begins.
        await pauses.sleepers(4)
        pauses.advance(by: ServerLimits.figureInterval)
        await pauses.sleepers(4)
        place.cloud.advance(minutes: 1)
        try await save(place, "two", token: token)
        let second = try await place.owner.get("\(Self.development)/telemetry?minutes=5")
        #expect(last(second, "requests") == 1 && last(second, "requests", back: 1) == 2)
        #expect(last(second, "records") == 1)
        #expect((last(second, "recordBytes") ?? 0) > 0)
        let production = try await place.owner.get("c/\(TestCloud.container)/production/telemetry")
        #expect(last(production, "requests") == 0)
        for minutes in ["0", "43201", "x"] {
            #expect(try await place.owner.get("\(Self.development)/telemetry?minutes=\(minutes)").status == 400)
        }
        await place.stop()
    }

    @Test func quotasAreRememberedBesideWhatDatabasesHold() async throws {
        let pauses = ManualClock()
        let quotas = Quotas(publicRecords: 1_000_000, privateRecords: 5_000, privateAssets: 70_000)
        let place = try await ConsolePlace(try await TestCloud(pauses: pauses, quotas: quotas))
        let token = try await place.cloud.webAuthToken()
        try await save(place, "one", token: token)
        for (name, database) in [("a", "public"), ("b", "private"), ("c", "private"), ("d", "private")] {
            #expect(try await place.owner.ck("records/modify", Body.save("Note", name), in: database).status == 200)
        }
        await pauses.sleepers(4)
        pauses.advance(by: ServerLimits.figureInterval)
        await pauses.sleepers(4)
        place.cloud.advance(minutes: 2)
        let answer = try await place.owner.get("\(Self.development)/telemetry?minutes=5")
        // Known from the minute on in which somebody looked, and what was so then; without a limit there is none.
        for (name, quota) in [
            ("publicRecordQuota", 1_000_000.0), ("userRecordQuota", 5_000), ("userAssetQuota", 70_000),
        ] {
            #expect(last(answer, name) == quota && last(answer, name, back: 2) == quota, "\(name)")
            #expect(last(answer, name, back: 3) == nil, "\(name)")
        }
        #expect(last(answer, "publicAssetQuota") == nil)
        // Of the two private databases the developer's own is the fuller one.
        let (everybody, fullest) = (last(answer, "publicRecordBytes") ?? 0, last(answer, "userRecordBytes") ?? 0)
        let all = last(answer, "recordBytes") ?? 0
        #expect(everybody > 0 && fullest > everybody)
        #expect(all > everybody + fullest && all - everybody - fullest < fullest)
        #expect(last(answer, "publicAssetBytes") == 0 && last(answer, "userAssetBytes") == 0)
        await place.stop()
    }

    /// The statistics of an earlier version are read after the upgrade: the first did not measure quotas, the second
    /// did not count by operation.
    @Test(arguments: [UInt8(1), 2]) func figuresOfEarlierVersionsAreRead(format: UInt8) async throws {
        let place = try await ConsolePlace()
        let service = place.cloud.service
        var sample = FigureSample()
        sample.apps.count("records/query", microseconds: 1_500, failed: true)
        sample.usage = Usage()
        try await service.remember(sample, users: [:], of: TestCloud.context())
        try await place.cloud.store.write(Partition("\(TestCloud.container)/development/figures")) { transaction in
            for entry in try transaction.entries(in: KeyRange(prefix: Key([])), limit: .max) {
                // The format, a query that failed, no levels, then the times of the query, and nothing of the tool.
                let added = 1 + 1 + 1 + "records/query".utf8.count + 3 + 4
                #expect(entry.value[0] == 3 && entry.value.suffix(4) == [0, 0, 0, 0])
                transaction.set(entry.key, [format] + entry.value.dropFirst().dropLast(format == 1 ? added : added - 1))
            }
        }
        let answer = try await place.owner.get("\(Self.development)/telemetry?minutes=5")
        #expect(last(answer, "requests") == 1 && last(answer, "recordBytes") == 0)
        #expect(last(answer, "publicRecordQuota") == nil && last(answer, "publicRecordBytes") == nil)
        #expect((last(answer, "latency99") ?? 0) > 0 && last(answer, "toolRequests") == 0)
        let query = try #require(answer.row("operations", "records/query"))
        #expect(query["errors"] as? Int == 1 && query["requests"] is NSNull && query["latency50"] is NSNull)
        await place.stop()
    }

    @Test func theOlderTheCoarserAndThirtyDaysAtMost() async throws {
        let place = try await ConsolePlace()
        let service = place.cloud.service
        let context = TestCloud.context()
        var sample = FigureSample()
        sample.apps.count("records/query", microseconds: 1_500, failed: false)
        for minutes in [0, 30, 60 * 23, 60 * 24 * 6, 60 * 24 * 29, 60 * 24 * 31] {
            place.cloud.clock.withLock { $0 = TestCloud.start + Int64(minutes) * 60_000 }
            try await service.remember(sample, users: [:], of: context)
        }
        func total(_ minutes: Int) async throws -> (UInt64, Int64, Int) {
            let series = try await service.figures(of: context, minutes: minutes, current: FigureSample())
            return (series.samples.reduce(0) { $0 + $1.apps.requests }, series.step, series.samples.count)
        }
        #expect(try await total(60) == (1, 60_000, 60))
        #expect(try await total(1_440) == (1, 60_000, 1_440))
        #expect(try await total(1_441) == (1, 600_000, 145))
        #expect(try await total(60 * 24 * 7) == (2, 600_000, 1_008))
        #expect(try await total(60 * 24 * 30) == (3, 3_600_000, 720))
        let stored = try await place.cloud.store.read(Partition("\(TestCloud.container)/development/figures")) {
            try $0.entries(in: KeyRange(prefix: Key([])), limit: .max).count
        }
        // One minute, two spans of ten, three hours: what is older is gone.
        #expect(stored == 1 + 1 + 3 || stored == 1 + 2 + 3)
        await place.stop()
    }

    @Test func theLogTellsWhatWasAskedAndNothingOfWho() async throws {
        let place = try await ConsolePlace()
        let token = try await place.cloud.webAuthToken()
        try await save(place, "very-private-name", token: token)
        _ = try await place.cloud.call("POST", "private/records/query", token: token, body: "{}")
        let log = try await place.owner.get("\(Self.development)/log?follow=0")
        #expect(log["Content-Type"] == "text/event-stream")
        let lines = log.body.split(separator: "\n").filter { $0.hasPrefix("data: ") }
        #expect(lines.count == 2)
        #expect(lines[0].contains("\"operation\":\"records/modify\"") && lines[0].contains("\"status\":200"))
        #expect(lines[1].contains("\"code\":\"BAD_REQUEST\""))
        let person = try await place.cloud.service.userRecordName(email: TestCloud.email, in: TestCloud.context())
        for word in [token, place.cloud.apiToken, person, TestCloud.email, "127.0.0.1", "very-private-name"] {
            #expect(!log.body.contains(word))
        }
        func count(_ query: String) async throws -> Int {
            try await place.owner.get("\(Self.development)/log?follow=0&\(query)").body
                .split(separator: "\n").count { $0.hasPrefix("data: ") }
        }
        #expect(try await count("operation=records/modify") == 1)
        #expect(try await count("status=4xx") == 1)
        #expect(try await count("status=200") == 1)
        #expect(try await count("level=warning") == 1)
        #expect(try await count("level=error") == 0)
        #expect(try await place.owner.get("\(Self.development)/log?follow=0&level=loud").status == 400)
        #expect(try await place.owner.get("\(Self.development)/log?follow=0&status=9xx").status == 400)
        await place.stop()
    }

    @Test func theLogTakesARangeOfTime() async throws {
        let place = try await ConsolePlace()
        let token = try await place.cloud.webAuthToken()
        // A range is shown whole, where without one only the latest lines are.
        for _ in 0..<FigureLimits.firstLogLines { try await save(place, UUID().uuidString, token: token) }
        place.cloud.advance(minutes: 10)
        _ = try await place.cloud.call("POST", "private/records/query", token: token, body: "{}")
        func operations(_ query: String) async throws -> [String] {
            try await place.owner.get("\(Self.development)/log?\(query)").body
                .matches(of: /"operation":"([^"]*)"/).map { String($0.1) }
        }
        let (start, later) = (TestCloud.start, TestCloud.start + 600_000)
        #expect(try await operations("follow=0").count == FigureLimits.firstLogLines)
        #expect(try await operations("follow=0&from=\(start)").count == FigureLimits.firstLogLines + 1)
        #expect(try await operations("follow=0&from=\(start + 1)") == ["records/query"])
        #expect(try await operations("follow=0&from=\(later + 1)").isEmpty)
        // A range that is over ends by itself, and says so; both ends belong to it.
        let over = try await place.owner.get("\(Self.development)/log?from=\(start)&to=\(later - 1)")
        #expect(over.body.contains("event: end\ndata:{}\n\n") && !over.body.contains("records/query"))
        #expect(try await operations("follow=0&from=\(later)&to=\(later)") == ["records/query"])
        for range in ["from=x", "to=-1", "from=2&to=1", "from=99999999999999999999"] {
            let refused = try await place.owner.get("\(Self.development)/log?\(range)")
            #expect(refused.status == 400 && refused.error == "BAD_REQUEST", "\(range)")
        }
        await place.stop()
    }

    @Test func theLogIsFollowedUntilTheEndOfItsRange() async throws {
        let place = try await ConsolePlace()
        let token = try await place.cloud.webAuthToken()
        async let log = place.owner.get("\(Self.development)/log?to=\(TestCloud.start + 60_000)")
        try await wait(for: "the stream") { place.cloud.server.consoleStreams > 0 }
        try await save(place, "one", token: token)
        place.cloud.advance(minutes: 2)
        #expect(try await log.body.contains("event: end\ndata:{}\n\n"))
        await place.stop()
    }

    /// In production the reason of a refusal in somebody's own database may name what is theirs.
    @Test func reasonsInPeoplesDatabasesStayThere() {
        let refusal = CloudError(.badRequest, "record 'diary of ada' is too large")
        for (environment, scope, shows) in [
            (CloudEnvironment.development, DatabaseScope.private, true), (.production, .public, true),
            (.production, .private, false), (.production, .shared, false),
        ] {
            let call = WebServiceCall(context: TestCloud.context(environment), scope: scope, operation: .modifyRecords)
            let line = ConsoleLogLine(
                time: 0, call, status: 400, microseconds: 1, bytes: 1, uuid: "", refusals: [refusal])
            #expect((line.reason != nil) == shows)
            #expect(line.code == "BAD_REQUEST")
        }
    }

    /// Shares are opened in the public database, whosever they are; such reasons name addresses.
    @Test(arguments: WebServiceOperation.allCases)
    func reasonsThatNamePeopleAreInNoLog(operation: WebServiceOperation) {
        let entity = operation.rawValue.prefix { $0 != "/" }
        let people: Set<WebServiceOperation> = [
            .resolveShares, .acceptShares, .declineShares, .requestAccess, .lookupShares, .updateShareKeys,
            .sendInvitations, .listInvitations,
        ]
        func shows(_ environment: CloudEnvironment) -> Bool {
            ConsoleLogLine(
                time: 0, WebServiceCall(context: TestCloud.context(environment), scope: .public, operation: operation),
                status: 400, microseconds: 1, bytes: 1, uuid: "",
                refusals: [CloudError(.badRequest, "bob@example.org is no participant")]
            ).reason != nil
        }
        let namesPeople = people.contains(operation) || entity == "users"
        #expect(shows(.development) == !namesPeople)
        #expect(shows(.production) == (!namesPeople && !["subscriptions", "tokens"].contains(entity)))
    }

    @Test("Threat 23: a log that is followed ends with the right to read it")
    func aLogThatIsFollowedEndsWithTheRightToReadIt() async throws {
        let place = try await ConsolePlace()
        let viewer = try await place.developer("viewer", email: "viewer@example.org")
        let token = try await place.cloud.webAuthToken()
        try await save(place, "one", token: token)
        async let log = viewer.get("\(Self.development)/log")
        // The stream is there when its count is; then its reader goes.
        try await wait(for: "the stream") { place.cloud.server.consoleStreams > 0 }
        try await place.cloud.service.removeDeveloper(email: "viewer@example.org")
        #expect(try await log.body.contains("records/modify"))
        await place.stop()
    }

    /// A log in which lines keep coming has no quiet moment in which to look.
    @Test("Threat 23: a log that is followed ends with the session, whatever comes")
    func aLogThatIsFollowedEndsWithTheSession() async throws {
        let place = try await ConsolePlace()
        let token = try await place.cloud.webAuthToken()
        async let log = place.owner.get("\(Self.development)/log")
        try await wait(for: "the stream") { place.cloud.server.consoleStreams > 0 }
        place.cloud.advance(minutes: DeveloperLimits.sessionLifetime / 60_000)
        // Whatever they are answered, they are in the log.
        while place.cloud.server.consoleStreams > 0 {
            _ = try await place.cloud.call("POST", "private/records/query", token: token, body: "{}")
        }
        #expect(try await log.status == 200)
        await place.stop()
    }

    @Test func aDeveloperHasSoManyLogsOpen() async throws {
        let place = try await ConsolePlace()
        let viewer = try await place.developer("viewer", email: "viewer@example.org")
        let limit = ServerLimits.consoleStreamsPerDeveloper
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<limit { group.addTask { try await viewer.get("\(Self.development)/log").status } }
            try await wait(for: "all streams") { place.cloud.server.consoleStreams == limit }
            let refused = try await viewer.get("\(Self.development)/log?follow=0")
            #expect(refused.status == 503 && refused.error == "TRY_AGAIN_LATER" && refused["Retry-After"] == "10")
            #expect(refused.json["reason"] as? String == "a developer can have at most \(limit) logs and exports open")
            #expect(try await place.owner.get("\(Self.development)/log?follow=0").status == 200)
            try await place.cloud.service.removeDeveloper(email: "viewer@example.org")
            for try await status in group { #expect(status == 200) }
        }
        // Who comes back begins anew.
        let again = try await place.developer("viewer", email: "viewer@example.org")
        #expect(try await again.get("\(Self.development)/log?follow=0").status == 200)
        try await wait(for: "the end of all streams") { place.cloud.server.consoleStreams == 0 }
        await place.stop()
    }

    @Test func theServerHasSoManyLogsOpen() async throws {
        let place = try await ConsolePlace()
        let streams = place.cloud.server.streams
        // One place is left, whoever has the others.
        for number in 1..<ServerLimits.consoleStreams { try streams.begin("developer \(number % 40)") }
        #expect(try await place.owner.get("\(Self.development)/log?follow=0").status == 200)
        try await wait(for: "the end of the stream") { streams.now < ServerLimits.consoleStreams }
        try streams.begin("another developer")
        for path in ["log?follow=0", "export"] {
            let refused = try await place.owner.get("\(Self.development)/\(path)")
            #expect(refused.status == 503 && refused.error == "TRY_AGAIN_LATER" && refused["Retry-After"] == "10")
            #expect(refused.json["reason"] as? String == "too many logs and exports are open")
        }
        #expect(streams.now == ServerLimits.consoleStreams)
        streams.end("another developer")
        #expect(try await place.owner.get("\(Self.development)/export").status == 200)
        await place.stop()
    }

    @Test func theLogIsBounded() {
        let recorder = ContextRecorder()
        let call = WebServiceCall(context: TestCloud.context(), scope: .public, operation: .queryRecords)
        for number in 0..<(5 * FigureLimits.logLines) {
            recorder.record(
                ConsoleLogLine(
                    time: Int64(number), call, status: 200, microseconds: 1, bytes: 1, uuid: "", refusals: []),
                user: nil)
        }
        let (lines, next) = recorder.lines(from: 0)
        #expect(lines.count == FigureLimits.logLines && next == UInt64(5 * FigureLimits.logLines))
        #expect(lines.last?.time == Int64(5 * FigureLimits.logLines - 1))
        #expect(recorder.lines(from: next).lines.isEmpty)
    }

    @Test func unknownContainersLeaveNothingBehind() async throws {
        let meter = ContextMeter()
        let context = TestCloud.context()
        func line(_ status: Int) -> ConsoleLogLine {
            ConsoleLogLine(
                time: 0, WebServiceCall(context: context, scope: .public, operation: .queryRecords), status: status,
                microseconds: 1, bytes: 1, uuid: "", refusals: [])
        }
        let call = WebServiceCall(context: context, scope: .public, operation: .queryRecords)
        meter.record(line(401), user: nil, of: call)
        #expect(meter.all.isEmpty)
        meter.record(line(200), user: nil, of: call)
        meter.record(line(401), user: nil, of: call)
        #expect(meter.all.first?.recorder.current.sample.apps.requests == 2)
    }

    @Test func peopleAreCountedAndOnlyTheVisibleAreNamed() async throws {
        let place = try await ConsolePlace()
        let service = place.cloud.service
        try await service.updateProfile(
            email: TestCloud.email, ProfileChange(givenName: "Ada", familyName: "Lovelace", phone: "+44 20 7946 0000"))
        try await service.createAccount(email: "hidden@example.org", password: TestCloud.password)
        try await save(place, "a", token: try await place.cloud.webAuthToken())
        let hidden = try await service.createSession(email: "hidden@example.org", context: TestCloud.context())
        try await save(place, "h", token: hidden.webAuthToken)
        try await service.setDiscoverable(true, email: TestCloud.email, in: TestCloud.context())
        let users = try await place.owner.get("\(Self.development)/users")
        #expect(users.json["all"] as? Int == 2)
        for span in ["day", "week", "month"] { #expect(users.json[span] as? Int == 2) }
        let rest = try await place.owner.get("\(Self.development)/users?after=_a")
        #expect(rest.status == 200 && rest.json["discoverable"] != nil)
        for count in ["all", "day", "week", "month"] { #expect(rest.json[count] == nil) }
        let named = users.json["discoverable"] as? [[String: Any]]
        #expect(named?.map { $0["name"] as? String } == ["Ada Lovelace"])
        for word in ["hidden", TestCloud.email, "7946", hidden.userRecordName] { #expect(!users.body.contains(word)) }
        place.cloud.advance(minutes: 24 * 60)
        let session = try await place.nobody.send(
            "POST", "sign-in", ["email": "owner@example.org", "password": ConsolePlace.password])
        let owner = ConsolePlace.Browser(
            client: place.cloud.client, session: ConsolePlace.Browser.session(in: session))
        let later = try await owner.get("\(Self.development)/users")
        #expect(later.json["day"] as? Int == 0 && later.json["week"] as? Int == 2)
        await place.stop()
    }

    @Test(arguments: [1, 10, 1_000, 100_000])
    func aSketchCountsAbout(people: Int) {
        var sketch = UserSketch()
        var other = UserSketch()
        for number in 0..<people {
            sketch.insert("_user\(number)")
            other.insert("_user\(number + people / 2)")
        }
        func isAbout(_ count: Int, _ wanted: Int) -> Bool { abs(Double(count - wanted)) <= 0.05 * Double(wanted) }
        #expect(isAbout(sketch.count, people), "\(sketch.count)")
        sketch.formUnion(other)
        #expect(isAbout(sketch.count, people + people / 2), "\(sketch.count)")
    }

    @Test func pushesTellWhatBecameOfThem() async throws {
        let place = try await ConsolePlace()
        let subscribed = try await place.owner.ck(
            "subscriptions/modify",
            [
                "operations": [
                    [
                        "operationType": "create",
                        "subscription": [
                            "subscriptionID": "news", "subscriptionType": "query", "firesOn": ["create"],
                            "query": ["recordType": "Note"],
                        ],
                    ]
                ]
            ])
        #expect(subscribed.status == 200, "\(subscribed.body)")
        _ = try await place.owner.ck("records/modify", Body.save("Note", "n"))
        let pushes = try await place.owner.get("\(Self.development)/pushes").json["pushes"] as? [[String: Any]]
        let push = try #require(pushes?.first)
        #expect(push["subscriptionID"] as? String == "news" && push["kind"] as? String == "query")
        #expect(push["outcome"] as? String == "queued" && push["recordType"] as? String == "Note")
        await place.stop()
    }
}
