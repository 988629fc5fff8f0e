import Foundation
import Glibc
import StratusTestSupport
import Testing

@testable import StratusUbiquity

/// Containers in directories that a person chose.
@Suite struct ContainerPlacesTests {
    private let directory: TemporaryDirectory
    private let container: UbiquityContainer

    init() throws {
        directory = try TemporaryDirectory()
        let url = try SignedIn.container()
        container = try #require(UbiquityContainer.containing(CoordinatedPath.canonical(url)))
    }

    @Test func allProgramsFindTheDirectory() throws {
        let place = directory.path + "/Cloud"
        let moved = try container.moved(to: place)
        #expect(moved.path == CoordinatedPath.canonical(URL(fileURLWithPath: place)))
        let url = try SignedIn.container(container.identifier)
        #expect(url.path == moved.path)
        let file = url.appendingPathComponent("Documents/a.txt")
        try Data("a".utf8).write(to: file)
        #expect(FileManager.default.isUbiquitousItem(at: file))
        #expect(UbiquityContainer.containing(CoordinatedPath.canonical(file)) == moved)
        #expect(moved.relative(CoordinatedPath.canonical(file)) == "Documents/a.txt")
        // What is in the former one is in no container any more.
        #expect(UbiquityContainer.containing(container.path + "/Documents/a.txt") == nil)
        #expect(moved.agentDirectory == container.agentDirectory)
    }

    @Test func theStandardDirectoryMayBeChosenAgain() throws {
        let moved = try container.moved(to: directory.path + "/Cloud")
        #expect(try moved.moved(to: container.url.path).path == container.path)
        #expect(try SignedIn.container(container.identifier).path == container.path)
    }

    @Test func filesAreNotLeftBehind() throws {
        let file = container.url.appendingPathComponent("Documents/a.txt")
        try Data("a".utf8).write(to: file)
        #expect {
            try container.moved(to: directory.path + "/Cloud")
        } throws: { ($0 as? DriveError)?.code == .fileExists }
        #expect(try SignedIn.container(container.identifier).path == container.path)
        // Whoever moves them goes on there.
        try FileManager.default.moveItem(atPath: container.path, toPath: directory.path + "/Cloud")
        _ = try container.moved(to: directory.path + "/Cloud")
        #expect(
            FileManager.default.fileExists(
                atPath: try SignedIn.container(container.identifier).path
                    + "/Documents/a.txt"))
    }

    @Test func directoriesThatOverlapAreRefused() throws {
        let data = CoordinatedPath.canonical(container.data)
        for place in [data, data + "/drive/x", (data as NSString).deletingLastPathComponent, "/"] {
            #expect(throws: DriveError.self, "\(place)") { try container.moved(to: place) }
        }
        _ = try container.moved(to: directory.path + "/Cloud")
        let url = try SignedIn.container()
        let other = try #require(UbiquityContainer.containing(CoordinatedPath.canonical(url)))
        for place in ["", "/Cloud", "/Cloud/inner"] {
            #expect { try other.moved(to: directory.path + place) } throws: {
                ($0 as? DriveError)?.code == .fileExists
            }
        }
        let file = try directory.file("file", "x")
        #expect { try other.moved(to: file.path) } throws: { ($0 as? DriveError)?.code == .fileExists }
    }
}
