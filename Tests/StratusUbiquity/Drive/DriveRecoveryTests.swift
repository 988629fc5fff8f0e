import Foundation
import StratusTestSupport
import StratusWorkers
import Testing

@testable import StratusUbiquity

/// Processes that end while they replace an item.
@Suite struct DriveRecoveryTests {
    /// Lets the process of an agent end at one of its moments.
    /// - Returns: Whether it came to that.
    private func end(_ agent: DriveAgent, at isEnd: @escaping @Sendable (Int, DriveMoment) -> Bool) async -> Bool {
        let state = Lock((count: 0, hasEnded: false))
        agent.checkpoints.set { moment, _ in
            try state.withLock { state in
                state.count += 1
                if isEnd(state.count, moment) { state.hasEnded = true }
                if state.hasEnded { throw DriveProcessEnd() }
            }
        }
        do { try await agent.settle() } catch {
            // The process has ended.
        }
        return state.withLock { $0.hasEnded }
    }

    private func names(_ url: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url.path).filter { $0 != ".stratus" && $0 != "Documents" }
            .sorted()
    }

    private func replace(_ url: URL, isLink: Bool, by text: String) throws {
        guard isLink else { return try DrivePair.write(text, to: url) }
        if DrivePair.isLink(url) { try FileManager.default.removeItem(at: url) }
        try FileManager.default.createSymbolicLink(atPath: url.path, withDestinationPath: text)
    }

    private func content(_ url: URL, isLink: Bool) throws -> String? {
        isLink ? try FileManager.default.destinationOfSymbolicLink(atPath: url.path) : DrivePair.text(url)
    }

    @Test(
        "wherever a process ends that replaces an item, no further one comes of it",
        arguments: [("a.txt", false), ("a.rtfd/TXT.rtf", false), ("link", true)])
    func processEnds(_ name: String, isLink: Bool) async throws {
        var pair = try await DrivePair()
        let (here, there) = (pair.here.appendingPathComponent(name), pair.there.appendingPathComponent(name))
        try replace(there, isLink: isLink, by: "0")
        try await pair.settleFully()
        let items = try names(pair.here)
        #expect(items.count == 1)
        for number in 1... {
            try replace(there, isLink: isLink, by: "\(number)")
            try await pair.other.settle()
            let hasEnded = await end(pair.one) { count, _ in count == number }
            try await pair.restartOne()
            try await pair.settleFully()
            let failures = try await pair.one.status().failures.map(\.error.text)
            #expect(try content(here, isLink: isLink) == "\(number)", "\(failures)")
            #expect(try names(pair.here) == items && names(pair.there) == items, "\(number)")
            #expect(try await pair.conflicts().isEmpty, "\(number)")
            guard hasEnded else { break }
        }
        await pair.stop()
    }

    @Test("what somebody wrote before the next process began stays, and so does the item that was replaced")
    func writtenMeanwhile() async throws {
        var pair = try await DrivePair()
        let (here, there) = (pair.here.appendingPathComponent("d/a.txt"), pair.there.appendingPathComponent("d/a.txt"))
        try DrivePair.write("first", to: there)
        try await pair.settleFully()
        try DrivePair.write("second", to: there)
        try await pair.other.settle()
        #expect(await end(pair.one) { _, moment in moment == .changed })
        #expect(DrivePair.text(here) == "second")
        try DrivePair.write("third", to: here)
        try await pair.restartOne()
        try await pair.settleFully()
        #expect(DrivePair.text(here) == "third" && DrivePair.text(there) == "third")
        #expect(DrivePair.text(pair.here.appendingPathComponent("d/a 2.txt")) == "first")
        await pair.stop()
    }
}
