import Foundation
import Glibc
import StratusTestSupport
import StratusWorkers
import Testing

@testable import StratusUbiquity

/// Programs that mean harm to an agent.
@Suite struct DriveSocketAttackTests {
    private let place: AgentPlace

    init() throws { place = try AgentPlace() }

    private func mode(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test func onlyTheUserMayReachTheSocket() throws {
        let listener = try place.listen(StaticControls())
        #expect(try mode(place.address.socket) == 0o600)
        #expect(try mode((place.address.socket as NSString).deletingLastPathComponent) == 0o700)
        #expect(try mode(place.container.agentDirectory.path) == 0o700)
        withExtendedLifetime(listener) {}
    }

    @Test func aDirectoryThatOthersMayEnterIsRefused() throws {
        let directory = (place.address.socket as NSString).deletingLastPathComponent
        try CoordinationDirectory.prepare(directory)
        #expect(chmod(directory, 0o755) == 0)
        #expect { try place.listen(StaticControls()) } throws: { ($0 as? DriveError)?.code == .failed }
        #expect(!FileManager.default.fileExists(atPath: place.address.socket))
    }

    /// The modes keep others away already; this is the second wall.
    @Test func aProcessOfAnotherUserIsNotServed() async throws {
        let controls = StaticControls()
        let listener = try place.listen(controls, user: geteuid() &+ 1)
        await #expect { try await place.connection.status() } throws: { ($0 as? DriveError)?.code == .noAgent }
        #expect(controls.calls.isEmpty)
        withExtendedLifetime(listener) {}
    }

    @Test func aSocketOfAnotherUserIsNotTrusted() throws {
        let listener = try place.listen(StaticControls())
        #expect(LocalSocket(connectingTo: place.address.socket, user: geteuid() &+ 1) == nil)
        #expect(LocalSocket(connectingTo: place.address.socket) != nil)
        withExtendedLifetime(listener) {}
    }

    private static let longest = Array(repeating: String(repeating: "n", count: 255), count: DriveLimits.names)

    @Test(arguments: [
        ("../a", "must not be named '.' or '..'"), ("a/../../b", "must not be named '.' or '..'"),
        ("./a", "must not be named '.' or '..'"), ("/etc/passwd", "must not begin with '/'"),
        ("/\u{301}etc", "must not begin with '/'"), ("a//b", "must not be empty"), ("a/", "must not be empty"),
        ("a\0b", "control characters"), ("a\nb", "control characters"),
        (String(repeating: "n", count: 256), "256 bytes"),
        ((longest + ["n"]).joined(separator: "/"), "at most 257 names"),
        (".stratus/staging", "not a part of the container"), (".stratus", "not a part of the container"),
    ])
    func aPathThatLeavesTheContainerIsRefused(_ path: String, reason: String) async throws {
        let controls = StaticControls()
        let listener = try place.listen(controls)
        let connection = place.connection
        for call: @Sendable () async throws -> Void in [
            { _ = try await connection.items(in: path) }, { try await connection.download(path) },
            { try await connection.evict(path) }, { try await connection.setPinned(true, path) },
            { _ = try await connection.versions(of: path) }, { try await connection.restore(path, version: "1") },
            { try await connection.resolve(path, keeping: "1") }, { _ = try await connection.record(of: path) },
        ] {
            await #expect { try await call() } throws: { error in
                (error as? DriveError)?.text.contains(reason) == true
            }
        }
        #expect(controls.calls.isEmpty)
        withExtendedLifetime(listener) {}
    }

    @Test func aPathOfTheLongestNamesIsTaken() async throws {
        let controls = StaticControls()
        let listener = try place.listen(controls)
        let path = Self.longest.map { $0.replacingOccurrences(of: "n", with: "\"") }.joined(separator: "/")
        try await place.connection.download(path)
        #expect(controls.calls == ["download " + path])
        withExtendedLifetime(listener) {}
    }

    @Test func identifiersHaveOneTo255Bytes() async throws {
        let controls = StaticControls()
        let listener = try place.listen(controls)
        let longest = String(repeating: "i", count: DriveLimits.identifier)
        try await place.connection.restore("a", version: longest)
        _ = try await place.connection.restoreDeleted(longest)
        for bad in ["", longest + "i"] {
            await #expect(throws: DriveError.self) { try await place.connection.restore("a", version: bad) }
            await #expect(throws: DriveError.self) { try await place.connection.restoreDeleted(bad) }
        }
        #expect(controls.calls == ["restore a " + longest, "restoreDeleted " + longest])
        withExtendedLifetime(listener) {}
    }

    @Test func aRequestHasALimitedSize() async throws {
        let controls = StaticControls()
        let listener = try place.listen(controls)
        let request = try JSONEncoder().encode(DriveRequest.settle)
        let largest = request + Data(repeating: UInt8(ascii: " "), count: DriveLimits.request - request.count)
        #expect(try await place.sendRaw(largest) != nil)
        #expect(try await place.sendRaw(largest + Data(" ".utf8)) == nil, "the connection ends")
        #expect(controls.calls == ["settle"])
        withExtendedLifetime(listener) {}
    }

    @Test(arguments: ["", "{", "[]", "{\"format\":{}}", "{\"download\":{}}", "\u{0}\u{1}"])
    func whatIsNoRequestGetsAnError(_ text: String) async throws {
        let controls = StaticControls()
        let listener = try place.listen(controls)
        let answer = try JSONDecoder().decode(
            DriveAnswer.self, from: try #require(try await place.sendRaw(Data(text.utf8))))
        guard case .failed(let error) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(error.text.contains("does not know the request"))
        #expect(controls.calls.isEmpty)
        withExtendedLifetime(listener) {}
    }

    @Test func programsThatSayNothingDoNotKeepOthersWaiting() async throws {
        let listener = try place.listen(StaticControls(), patience: 3_600)
        var silent: [LocalSocket] = []
        for _ in 0..<DriveLimits.connections - 1 {
            silent.append(try #require(LocalSocket(connectingTo: place.address.socket)))
        }
        // One that stops in the middle of a message.
        _ = silent[0].sendBytes([9, 0, 0])
        #expect(try await place.connection.status().pending == 2)
        withExtendedLifetime((listener, silent)) {}
    }

    @Test func aProgramThatSaysNothingIsNotServedForLong() async throws {
        let listener = try place.listen(StaticControls(), patience: 0.01)
        let silent = try #require(LocalSocket(connectingTo: place.address.socket))
        #expect(try await onThread { silent.receive(limit: 1) } == nil, "the connection ends")
        withExtendedLifetime(listener) {}
    }
}
