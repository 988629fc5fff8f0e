import Foundation
import StratusCloudServer
import Testing

@testable import StratusTool

/// What `stratus doctor` makes of machines and clouds that a test cannot make: full disks, clocks that nobody set, and
/// indexes that are just being built.
@Suite struct DoctorCheckTests {
    private static let mebibyte: UInt64 = 1 << 20

    @Test func disksFillUp() {
        let (scarce, reserve) = (DiskState.scarceBytes, 1_024 * Self.mebibyte)
        #expect(scarce == 256 * Self.mebibyte && DiskState.scarceFiles == 10_000)
        func status(_ free: UInt64, files: UInt64? = nil, reserve: UInt64 = reserve) -> DoctorReport.Status {
            DiskState(free: free, all: 1 << 40, freeFiles: files).judgement(reserve: reserve).0
        }
        #expect(status(0) == .failed)
        #expect(status(scarce - 1) == .failed && status(scarce) == .warning)
        #expect(status(scarce - 1, reserve: 0) == .failed && status(scarce, reserve: 0) == .ok)
        #expect(status(2 * reserve - 1) == .warning && status(2 * reserve) == .ok)
        #expect(status(.max, reserve: .max) == .warning)
        let room = DiskState.scarceFiles
        #expect(status(.max, files: room - 1) == .failed && status(.max, files: room) == .ok)
        let (_, text) = DiskState(free: 3 * reserve, all: 4 * reserve, freeFiles: 9_999).judgement(reserve: reserve)
        #expect(text == "3072 MiB of 4096 MiB are free, with room for 9999 files")
        #expect(
            DiskState(free: scarce, all: 4 * reserve).judgement(reserve: reserve).1
                == "256 MiB of 4096 MiB are free; uploads leave 1024 MiB free")
    }

    @Test func thisDiskCanBeRead() throws {
        let disk = try #require(DiskState(of: FileManager.default.temporaryDirectory.path()))
        #expect(disk.all > 0 && disk.free <= disk.all)
        #expect(DiskState(of: "/nowhere/at/all") == nil)
    }

    @Test func clocksAreWrong() {
        let now: Int64 = 1_800_000_000
        func judge(_ now: Int64, newest: Int64? = nil, synchronization: Int32 = 1) -> (DoctorReport.Status, String) {
            ClockState(
                now: now, newest: newest.map { .init(path: "/data/CURRENT", time: $0) },
                synchronization: synchronization
            ).judgement
        }
        #expect(judge(ClockState.earliestNow).0 == .ok)
        let unset = judge(ClockState.earliestNow - 1)
        #expect(unset.0 == .failed && unset.1.contains("2025-12-31") && unset.1.contains("never set"))
        #expect(judge(now, newest: now + ClockState.tolerance).0 == .ok)
        let future = judge(now, newest: now + ClockState.tolerance + 1)
        #expect(future.0 == .failed && future.1.contains("/data/CURRENT") && future.1.contains("in the future"))
        #expect(judge(now, synchronization: 1).1.contains("clock is synchronized"))
        let alone = judge(now, synchronization: 0)
        #expect(alone.0 == .warning && alone.1.contains("NTP"))
        #expect(judge(now, synchronization: -1).0 == .ok)
    }

    /// Answers as a server does whose only container has an index that is being built, or a schema that is not what it
    /// says.
    private struct ScriptedOperator: Operator {
        var isBuilding = false
        var change = #"{"text":"","changes":[],"recordsToIndex":{}}"#
        var damage: ToolError?

        func answer(to request: ControlRequest) async throws(ToolError) -> ControlResponse {
            if let damage, case .verify = request { throw damage }
            switch request {
            case .verify: return .verified(rows: 5)
            case .listContainers: return .names(["iCloud.a"])
            case .showSchema: return .schema("DEFINE SCHEMA")
            case .schema(.compare): return .schemaChange(try decoded(change))
            case .schema(.indexes):
                let state = #"{"recordType":"Note","field":"text","kinds":["QUERYABLE"],"isComplete":\#(!isBuilding)}"#
                return .indexes([try decoded(state)])
            case .checkConsistency:
                let found =
                    #"{"databases":1,"databasesLeftOut":0,"records":2,"indexEntries":3,"assets":0,"#
                    + #""findings":[],"problems":0,"repaired":0}"#
                return .consistency(try decoded(found))
            default: throw ToolError("nobody asks that")
            }
        }

        func close() async {}

        private func decoded<Value: Decodable>(_ text: String) throws(ToolError) -> Value {
            do {
                return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
            } catch {
                throw ToolError("\(error)")
            }
        }
    }

    private func checks(_ operation: ScriptedOperator) async -> (report: DoctorReport, [String: DoctorReport.Check]) {
        var report = DoctorReport()
        await StoreChecks(
            directory: DataDirectory(path: "/nowhere"), repairs: false, output: Output { _, _ in }
        ).run(by: operation, &report)
        return (report, Dictionary(uniqueKeysWithValues: report.checks.map { ($0.name, $0) }))
    }

    @Test func anIndexThatIsBeingBuiltIsNoFailure() async {
        let (sound, all) = await checks(ScriptedOperator())
        #expect(sound.healthy && all.values.allSatisfy { $0.status == .ok } && all.count == 3)
        #expect(all["schema"]?.detail == "1 container")
        let (report, found) = await checks(ScriptedOperator(isBuilding: true))
        #expect(report.healthy && found["schema"]?.status == .warning)
        // In both environments.
        #expect(found["schema"]?.detail == "1 container; 2 indexes are being built")
    }

    @Test func aSchemaThatDoesNotSayWhatItIsFails() async {
        let change = #"{"text":"+ ROLE a","changes":[{"change":"roleAdded","role":"a"}],"recordsToIndex":{}}"#
        let (report, found) = await checks(ScriptedOperator(change: change))
        #expect(!report.healthy && found["schema"]?.status == .failed)
        #expect(found["schema"]?.detail.contains("iCloud.a, development") == true)
        #expect(found["schema"]?.detail.contains("+ ROLE a") == true)
    }

    @Test func oneCheckThatFailsDoesNotKeepTheOthersFromLooking() async {
        let (report, found) = await checks(ScriptedOperator(damage: ToolError("a block is damaged")))
        #expect(!report.healthy && found["store"]?.status == .failed && found["store"]?.detail == "a block is damaged")
        #expect(found["schema"]?.status == .ok && found["consistency"]?.status == .ok)
    }
}
