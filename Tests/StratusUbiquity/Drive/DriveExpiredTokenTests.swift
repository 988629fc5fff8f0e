import Foundation
import StratusTesting
import Testing

@testable import StratusUbiquity

/// Agents whose tokens the server does not accept any more, for example because it was restored from a backup.
@Suite struct DriveExpiredTokenTests {
    @Test("everything is compared again, and neither side loses anything") func comparison() async throws {
        let pair = try await DrivePair()
        func file(_ directory: URL, _ name: String) -> URL { directory.appendingPathComponent(name) }
        for name in ["changed", "deleted", "kept"] { try DrivePair.write("old", to: file(pair.here, name)) }
        try await pair.settleFully()
        try DrivePair.write("new", to: file(pair.there, "changed"))
        try FileManager.default.removeItem(at: file(pair.there, "deleted"))
        try DrivePair.write("there", to: file(pair.there, "created there"))
        for _ in 0..<2 { try await pair.other.settle() }
        try DrivePair.write("here", to: file(pair.here, "created here"))
        pair.cloud.expireChangeTokens()
        try await pair.settleFully()
        for directory in [pair.here, pair.there] {
            #expect(DrivePair.text(file(directory, "changed")) == "new")
            #expect(DrivePair.text(file(directory, "deleted")) == nil)
            #expect(DrivePair.text(file(directory, "kept")) == "old")
            #expect(DrivePair.text(file(directory, "created there")) == "there")
            #expect(DrivePair.text(file(directory, "created here")) == "here")
        }
        #expect(try await pair.conflicts().isEmpty)
        await pair.stop()
    }
}
