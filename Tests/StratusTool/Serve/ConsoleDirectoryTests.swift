import Foundation
import Testing

@testable import StratusTool

/// Where a program finds the console's files.
@Suite struct ConsoleDirectoryTests {
    private func folder(_ files: [String], _ body: (String) throws -> Void) throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "console-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: root) }
        for file in files {
            let directory = URL(filePath: root + "/" + file).deletingLastPathComponent().path
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            try Data().write(to: URL(filePath: root + "/" + file))
        }
        try body(root)
    }

    @Test func besideAnInstalledProgram() throws {
        try folder(["bin/stratus", "share/stratus/console/index.html"]) { root in
            #expect(ConsoleDirectory.find(for: root + "/bin/stratus") == root + "/share/stratus/console")
        }
    }

    @Test func belowTheProjectAProgramWasBuiltIn() throws {
        try folder([".build/x86_64/release/stratus", "Sources/Console/Files/index.html"]) { root in
            #expect(
                ConsoleDirectory.find(for: root + "/.build/x86_64/release/stratus") == root + "/Sources/Console/Files")
        }
    }

    @Test func nowhere() throws {
        try folder(["bin/stratus"]) { root in
            #expect(ConsoleDirectory.find(for: root + "/bin/stratus") == nil)
        }
    }

    @Test func whereItIsSaid() throws {
        try folder(["pages/index.html"]) { root in
            let found = try ConsoleDirectory.find(named: root + "/pages")
            #expect(found == root + "/pages")
            #expect(throws: ToolError.self) { try ConsoleDirectory.find(named: root) }
        }
    }
}
