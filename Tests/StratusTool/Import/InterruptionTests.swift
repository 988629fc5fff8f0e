import Foundation
import StratusCloudServer
import StratusWorkers
import Testing

@testable import StratusTool

@Suite struct InterruptionTests {
    /// Does what is asked, and cancels the task that asks, in the middle of a batch.
    private final class Canceller: Operator {
        private let operation: any Operator
        private let batches = Lock(0)
        let task = Lock<Task<ImportRun.Summary, any Error>?>(nil)

        init(_ operation: any Operator) { self.operation = operation }

        func answer(to request: ControlRequest) async throws(ToolError) -> ControlResponse {
            if case .modifyRecords = request {
                let isSecond = batches.withLock { count in
                    count += 1
                    return count == 2
                }
                if isSecond { task.withLock { $0?.cancel() } }
            }
            return try await operation.answer(to: request)
        }

        func close() async { await operation.close() }
    }

    @Test("An import whose task is cancelled ends what is under way, and goes on behind it")
    func cancelled() async throws {
        let tool = try Tool()
        try await tool.succeed("container", "create", Tool.container)
        let count = 20 * ImportLimits.rowsPerBatch
        let path = try tool.write(
            (0..<count).map { "{\"text\": \"row \($0)\"}\n" }.joined(), to: "many.jsonl")
        let directory = DataDirectory(path: tool.data.path())
        let context = ControlContext(container: Tool.container, environment: "development")
        let plan = ImportPlan(
            file: path, format: .jsonl, recordType: "Row", database: ControlDatabase(context: context, scope: "public"),
            zone: nil, rules: ColumnRules(), assets: AssetDirectory(path: tool.path("assets")), restarts: false)
        let operation = Canceller(try await OperatorConnection.open(directory))
        let (start, go) = AsyncStream<Void>.makeStream()
        let task = Task {
            // Not before the canceller knows it.
            for await _ in start { break }
            var run = try ImportRun(
                plan, file: try FileReader(path: path), operation: operation, directory: directory,
                output: Output { _, _ in })
            return try await run.run()
        }
        operation.task.withLock { $0 = task }
        go.yield()
        let error = await #expect(throws: ToolError.self) { try await task.value }
        #expect(error?.code == ToolError.interruptedCode && error?.exitCode == .interrupted)
        await operation.close()

        let kept = try await tool.run(["export", "--all"] + Tool.publicDatabase)
        let saved = kept.output.split(separator: "\n").count
        #expect(saved > 0 && saved < count && saved.isMultiple(of: ImportLimits.rowsPerBatch))
        let rest = try await tool.run(["import", path, "--type", "Row", "--json"] + Tool.publicDatabase)
        #expect(try rest.object()["imported"] as? Int == count, "\(rest.errors)")
        #expect(try rest.object()["resumedAtLine"] as? Int == saved + 1)
        let all = try await tool.run(["export", "--all"] + Tool.publicDatabase)
        #expect(all.output.split(separator: "\n").count == count)
    }
}
