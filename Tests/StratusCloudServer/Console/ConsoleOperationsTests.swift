import Foundation
import StratusCloudModel
import StratusCloudService
import Testing

@testable import StratusCloudServer

/// What each operation came to, of apps and of the operator's tool.
@Suite struct ConsoleOperationsTests {
    private let development = "c/\(TestCloud.container)/development"

    @Test func theTimesOfEachOperationAreKnown() async throws {
        let place = try await ConsolePlace()
        let context = TestCloud.context()
        var sample = FigureSample()
        // Ninety quick ones, nine slow ones, and one that is slower still.
        for count in 0..<100 {
            sample.apps.count(
                "records/query", microseconds: count < 90 ? 1_000 : count < 99 ? 40_000 : 900_000, failed: count == 0)
        }
        sample.apps.count("zones/list", microseconds: 200, failed: false)
        try await place.cloud.service.remember(sample, users: [:], of: context)
        // What is still in memory counts, too.
        place.cloud.server.meter.recorder(of: context).recordTool("records/modify", microseconds: 70_000, failed: true)
        let answer = try await place.owner.get("\(development)/telemetry")
        let names = (answer.json["operations"] as? [[String: Any]])?.compactMap { $0["operation"] as? String }
        #expect(names == ["records/query", "zones/list"])
        let query = try #require(answer.row("operations", "records/query"))
        #expect(query["requests"] as? Int == 100 && query["errors"] as? Int == 1)
        // A bucket's bounds are half as much again: times are right to that.
        for (part, milliseconds) in [("latency50", 1.0), ("latency95", 40), ("latency99", 40)] {
            let time = try #require((query[part] as? NSNumber)?.doubleValue)
            #expect((milliseconds / 1.5...milliseconds * 1.5).contains(time), "\(part) \(time)")
        }
        #expect((answer.row("operations", "zones/list")?["latency99"] as? NSNumber)?.doubleValue ?? 9 < 0.4)
        // The tool's own work stands apart, and in no other number.
        let tool = try #require(answer.row("toolOperations", "records/modify"))
        #expect(tool["requests"] as? Int == 1 && tool["errors"] as? Int == 1)
        #expect(answer.last("requests") == 101 && answer.last("toolRequests") == 1)
        let errors = (answer.json["series"] as? [String: Any])?["errors"] as? [String: [Int]]
        #expect(errors?.keys.sorted() == ["records/query"])
        // Over time, of one operation.
        let zones = try await place.owner.get("\(development)/telemetry?operation=zones/list")
        #expect((zones.last("latency99") ?? 9) < 0.4 && zones.last("requests") == 101)
        let none = try await place.owner.get("\(development)/telemetry?operation=zones/modify")
        #expect(none.status == 200 && none.last("latency99") == nil)
        let refused = try await place.owner.get("\(development)/telemetry?operation=zones/dance")
        #expect(refused.status == 400)
        await place.stop()
    }

    /// A histogram takes the same memory whatever it counts, and neither end of its range is lost.
    @Test func timesOfAnyLengthAreCounted() {
        var times = LatencyHistogram()
        #expect(times.quantile(0.5) == nil)
        for microseconds in [-1, 0, 1, 100, 101, Int64.max] { times.count(microseconds: microseconds) }
        #expect(times.count == 6)
        #expect(LatencyHistogram.bounds == LatencyHistogram.bounds.sorted())
        #expect(LatencyHistogram.bounds.last ?? 0 > 10_000_000)
        #expect(times.quantile(1) == Double(LatencyHistogram.bounds.last ?? 0) / 1_000)
        #expect((times.quantile(0.5) ?? 1) <= 0.1)
    }

    @Test func commandsAreCountedForTheEnvironmentThatTheyAreAbout() {
        let context = ControlContext(container: TestCloud.container, environment: "development")
        let database = ControlDatabase(context: context, scope: "public")
        let commands: [(ControlRequest, String, CloudEnvironment)] = [
            (.modifyRecords(database: database, body: ""), "records/modify", .development),
            (
                .exportRecords(database: database, zone: "z", recordType: nil, after: nil), "records/export",
                .development
            ),
            (.listTokens(context: context), "tokens/list", .development),
            (
                .schema(.deploy(container: TestCloud.container, name: "", by: "", expecting: nil, isTrial: true)),
                "schema/deploy", .production
            ),
            (.schema(.reset(container: TestCloud.container, by: "")), "schema/reset", .development),
        ]
        for (command, name, environment) in commands {
            #expect(command.subject?.operation == name)
            #expect(command.subject?.context == TestCloud.context(environment))
        }
        let nowhere = ControlContext(container: "no container", environment: "development")
        for command in [ControlRequest.ping, .listAccounts, .verify(), .showSchema(context: nowhere)] {
            #expect(command.subject == nil)
        }
    }

    /// Commands about what does not exist make nothing that is kept.
    @Test func refusedCommandsMakeNoRecorder() {
        let meter = ContextMeter()
        meter.recordTool("records/query", microseconds: 1, failed: true, in: TestCloud.context())
        #expect(meter.all.isEmpty)
        meter.recordTool("records/query", microseconds: 1, failed: false, in: TestCloud.context())
        meter.recordTool("records/query", microseconds: 1, failed: true, in: TestCloud.context())
        #expect(meter.all.first?.recorder.current.sample.tool.requests == 2)
    }
}
