import Foundation
import StratusSeeds
import Testing

@testable import StratusCloudStore

/// A process that writes is killed at random instants. What it acknowledged must be there, and no batch in part.
@Suite struct CrashTests {
    private static let rounds = 20
    private let partition = Partition("crash")

    @Test(arguments: StoreEngine.allCases)
    func aKilledProcessLosesNothingThatItAcknowledged(engine: StoreEngine) async throws {
        let seed = Seed.draw()
        print("crash seed \(seed) of \(engine)")
        var random = SeededRandom(seed: seed)
        let directory = try TemporaryDirectory()
        var acknowledged: Set<String> = []
        for round in 0..<Self.rounds {
            let names = try killedWriter(
                engine, directory.path, round, after: Int.random(in: 1...2_500, using: &random))
            acknowledged.formUnion(names)
            let store = try StoreEngine.open(directory: directory.path, required: engine)
            let found = try await batches(store)
            for (name, parts) in found {
                #expect(parts == Set((0..<4).flatMap { ["small/\(name)/\($0)", "fat/\(name)/\($0)"] }), "seed \(seed)")
            }
            let lost = acknowledged.subtracting(found.keys)
            #expect(lost.isEmpty, "seed \(seed), round \(round)")
            try await store.verify()
            await store.close()
        }
        #expect(acknowledged.count > Self.rounds)
    }

    /// The names of the batches in the store, and the keys of each that hold what they should.
    private func batches(_ store: any MaintainedStore) async throws -> [String: Set<String>] {
        var found: [String: Set<String>] = [:]
        for entry in try await store.all(in: partition) {
            let key = String(decoding: entry.key.bytes, as: UTF8.self)
            let words = key.split(separator: "/")
            guard words.count == 3 else { continue }
            let small = Array("\(words[1])/\(words[2])".utf8)
            let expected = words[0] == "fat" ? small + [UInt8](repeating: 0x2E, count: 600) : small
            #expect(entry.value == expected)
            found[String(words[1]), default: []].insert(key)
        }
        return found
    }

    /// Runs the writer until it has printed about `bytes` bytes, kills it, and returns the names it printed.
    private func killedWriter(
        _ engine: StoreEngine, _ directory: String, _ round: Int, after bytes: Int
    ) throws -> [String] {
        let process = Process()
        let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.executableURL = executable.deletingLastPathComponent().appendingPathComponent("StratusCrashWriter")
        process.arguments = [engine.rawValue, directory, "\(round)"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        var printed = Data()
        while printed.count < bytes {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            printed.append(more)
        }
        kill(process.processIdentifier, SIGKILL)
        printed.append(output.fileHandleForReading.readDataToEndOfFile())
        process.waitUntilExit()
        try #require(
            process.terminationReason == .uncaughtSignal, "\(String(decoding: printed.suffix(300), as: UTF8.self))")
        return String(decoding: printed, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
