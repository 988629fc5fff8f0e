import Foundation
import Glibc
import StratusTelemetry
import StratusWorkers
import Testing

@Suite struct LogWriterTests {
    /// A pipe whose reading end delivers whole log lines.
    private final class Pipe: Sendable {
        let output: Int32
        private let input: Int32
        private let pool = WorkerPool(threads: 1)

        init() throws {
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            (input, output) = (ends[0], ends[1])
        }

        deinit { close(input) }

        func closeOutput() { close(output) }

        /// Fills the pipe, so that the next write to it waits. Returns the number of bytes.
        func fill() -> Int {
            _ = fcntl(output, F_SETFL, O_NONBLOCK)
            defer { _ = fcntl(output, F_SETFL, 0) }
            var count = 0
            while write(output, " ", 1) == 1 { count += 1 }
            return count
        }

        /// Everything up to the end of the pipe.
        func readToEnd() async throws -> String {
            let input = input
            return try await pool.run {
                var bytes: [UInt8] = []
                var chunk = [UInt8](repeating: 0, count: 65_536)
                while true {
                    let count = read(input, &chunk, chunk.count)
                    guard count > 0 else { break }
                    bytes += chunk.prefix(count)
                }
                return String(decoding: bytes, as: UTF8.self)
            }
        }
    }

    private func objects(_ text: String) throws -> [[String: Any]] {
        try text.split(separator: "\n").map { line in
            try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    @Test func linesOfManyTasksArriveWhole() async throws {
        let pipe = try Pipe()
        let writer = LogWriter(descriptor: pipe.output)
        let logger = Logger(writer: writer)
        async let text = pipe.readToEnd()
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                let logger = logger.with(["task": .integer(Int64(task))])
                group.addTask { for index in 0..<500 { logger.info("line", ["index": .integer(Int64(index))]) } }
            }
        }
        await writer.flush()
        pipe.closeOutput()
        let objects = try await objects(text)
        #expect(objects.count == 4_000)
        for task in 0..<8 {
            let indices = objects.filter { $0["task"] as? Int == task }.compactMap { $0["index"] as? Int }
            #expect(indices == Array(0..<500))
        }
    }

    @Test func lowerLevelsAreNeitherWrittenNorEvaluated() async throws {
        let pipe = try Pipe()
        let writer = LogWriter(descriptor: pipe.output)
        let logger = Logger(writer: writer, level: .warning, now: { LogTime(milliseconds: 0) })
        let evaluations = Lock(0)
        func message(_ text: String) -> String {
            evaluations.withLock { $0 += 1 }
            return text
        }
        logger.debug(message("a"))
        logger.info(message("b"))
        logger.warning(message("c"))
        logger.error(message("d"))
        writer.flushBlocking()
        pipe.closeOutput()
        let objects = try await objects(pipe.readToEnd())
        #expect(objects.map { $0["message"] as? String } == ["c", "d"])
        #expect(evaluations.withLock { $0 } == 2)
    }

    @Test func linesWithoutRoomAreDroppedAndCounted() async throws {
        let pipe = try Pipe()
        let filling = pipe.fill()
        let writer = LogWriter(descriptor: pipe.output, capacity: 1_000)
        let logger = Logger(writer: writer)
        for _ in 0..<1_000 { logger.info("line") }
        async let text = pipe.readToEnd()
        await writer.flush()
        pipe.closeOutput()
        let objects = try await objects(String(text.dropFirst(filling)))
        let written = objects.count { $0["message"] as? String == "line" }
        let dropped = objects.compactMap { $0["count"] as? Int }.reduce(0, +)
        #expect(dropped > 0)
        #expect(written + dropped == 1_000)
        #expect(objects.contains { $0["message"] as? String == "log lines dropped" })
    }

    @Test func aClosedDescriptorHarmsNobody() async throws {
        let writer = LogWriter(descriptor: -1)
        let logger = Logger(writer: writer)
        for _ in 0..<100 { logger.error("lost") }
        await writer.flush()
    }
}
