import Foundation
import StratusCloudKit
import StratusTestSupport
import StratusTesting

@testable import StratusUbiquity

/// Two devices of one person, each with a container that the programs of this process see.
struct DrivePair {
    let cloud: LocalCloud
    let state: TemporaryDirectory
    /// The directories of the two containers.
    let here: URL
    let there: URL
    private(set) var one: DriveAgent
    private(set) var other: DriveAgent

    private let watches: Bool

    /// - Parameter watches: Whether the agents scan only directories in which something happened.
    init(_ options: LocalCloud.Options = LocalCloud.Options(seed: 1), watches: Bool = false) async throws {
        self.watches = watches
        cloud = try await LocalCloud(options)
        state = try TemporaryDirectory()
        (here, there) = (try SignedIn.container(), try SignedIn.container())
        one = try await Self.agent("one", here, cloud, state, watches)
        other = try await Self.agent("other", there, cloud, state, watches)
    }

    private static func agent(
        _ name: String, _ directory: URL, _ cloud: LocalCloud, _ state: TemporaryDirectory, _ watches: Bool
    ) async throws -> DriveAgent {
        let agent = DriveAgent(
            directory: directory.path, state: state.path + "/\(name).sqlite",
            database: cloud.account("ada").device(name).container.privateCloudDatabase,
            settings: DriveSettings(deviceName: name))
        try await agent.startManually(watches: watches)
        return agent
    }

    /// Lets the process of one agent end, and another one begin.
    mutating func restartOne() async throws {
        await one.stop()
        one = try await Self.agent("one", here, cloud, state, watches)
    }

    func settle() async throws {
        try await one.settle()
        try await other.settle()
    }

    /// Synchronizes until both devices know what the other one has done.
    func settleFully() async throws { for _ in 0..<2 { try await settle() } }

    /// The paths of items in conflict, as the two agents say.
    func conflicts() async throws -> [String] {
        let (here, there) = (try await one.conflicts(), try await other.conflicts())
        return (here + there).map(\.path)
    }

    func stop() async {
        await one.stop()
        await other.stop()
    }

    static func write(_ text: String, to url: URL) throws {
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    static func text(_ url: URL) -> String? {
        FileManager.default.contents(atPath: url.path).map { String(decoding: $0, as: UTF8.self) }
    }

    static func isLink(_ url: URL) -> Bool {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: url.path)) != nil
    }

    /// Lets a file have two contents of devices that did not know of each other: "one's" and the later "the other's".
    func makeConflict(_ name: String) async throws {
        try Self.write("first", to: here.appendingPathComponent(name))
        try await settleFully()
        try Self.write("one's", to: here.appendingPathComponent(name))
        try Self.write("the other's", to: there.appendingPathComponent(name))
        let dates = [(here, 1_700_000_000), (there, 1_700_000_060)]
        for (directory, seconds) in dates {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: TimeInterval(seconds))],
                ofItemAtPath: directory.appendingPathComponent(name).path)
        }
        try await settleFully()
    }
}
