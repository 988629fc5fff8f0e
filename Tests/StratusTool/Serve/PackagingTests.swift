import Foundation
import Testing

/// The files that bring Stratus to a machine name what there is.
@Suite struct PackagingTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Packaging").standardized
    private static let analyze = "/usr/bin/systemd-analyze"

    private func text(_ name: String) throws -> String {
        try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: analyze), "needs systemd-analyze"))
    func theUnitIsOneOfSystemds() async throws {
        let tool = try Tool()
        let executable = try #require(Tool.executable).path()
        let unit = try text("stratus.service").replacing("/usr/bin/stratus", with: executable)
        let file = try tool.write(unit, to: "stratus.service")
        let process = Process()
        process.executableURL = URL(filePath: Self.analyze)
        process.arguments = ["verify", file]
        let errors = Pipe()
        process.standardError = errors
        #expect(try await process.runToEnd() == 0)
        let complaints = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
        #expect(!complaints.contains("stratus.service:"), "\(complaints)")
    }

    /// The server takes the command lines that the files have.
    @Test func theServerIsStartedByOptionsThatItHas() async throws {
        let help = try await Tool().succeed("serve", "--help").output
        let line = try #require(try text("stratus.service").firstMatch(of: /(?m)^ExecStart=(.*)$/)).1
        let command = try #require(try text("Containerfile").firstMatch(of: /(?m)^CMD \[(.*)\]$/)).1
        for option in "\(line) \(command)".matches(of: /--[a-z-]+/) {
            #expect(help.contains("\(option.0) "), "\(option.0)")
        }
        #expect(line.contains("serve") && command.contains("serve"))
    }

    /// An installed server looks for its console beside itself.
    @Test func theConsoleComesAlong() throws {
        #expect(try text("stratus.service").contains("cp -rT Sources/Console/Files /usr/share/stratus/console\n"))
        #expect(try text("Containerfile").contains("COPY Sources/Console/Files /usr/share/stratus/console\n"))
    }

    /// All that it is built from is in the list that the container installs.
    @Test func theContainerHasTheLibraries() throws {
        let container = try text("Containerfile")
        #expect(container.contains("Scripts/packages.txt"))
        for library in [
            "libcurl4", "libicu72", "libjemalloc2", "libmicrohttpd12", "libsodium23", "libsqlite3-0", "libssl3",
        ] {
            #expect(container.contains(library))
        }
    }
}
