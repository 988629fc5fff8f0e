import CloudKit
import Testing

@testable import StratusCloudKit

@Suite struct ConfigurationTests {
    private let file = """
        {"url": "https://file.example", "environment": "production", "apiToken": "a", "webAuthToken": "w",
         "containers": ["iCloud.one", {"identifier": "iCloud.two", "apiToken": "b"}],
         "profiles": {"work": {"url": "https://work.example", "webAuthToken": "x"}}}
        """

    private func read(
        _ variables: [String: String], _ files: [String: String] = [:]
    ) throws -> StratusConfiguration {
        let reader = ConfigurationReader(variables: variables, files: ["/a/stratus.json", "/b/stratus.json"]) {
            files[$0].map { Data($0.utf8) }
        }
        return try reader.configuration()
    }

    @Test func theFirstFileCounts() throws {
        let configuration = try read([:], ["/b/stratus.json": file])
        #expect(configuration.url == "https://file.example" && configuration.environment == "production")
        #expect(configuration.containers.map(\.identifier) == ["iCloud.one", "iCloud.two"])
        let first = try configuration.endpoint(of: nil)
        #expect(first.container.rawValue == "iCloud.one" && first.apiToken == "a" && first.webAuthToken == "w")
        #expect(try configuration.endpoint(of: "iCloud.two").apiToken == "b")
    }

    @Test func theEnvironmentGoesOverIt() throws {
        let variables = [
            "STRATUS_URL": "https://env.example/", "STRATUS_ENVIRONMENT": "development", "STRATUS_API_TOKEN": "t",
            "STRATUS_WEB_AUTH_TOKEN": "u", "STRATUS_CONTAINER": "iCloud.two",
        ]
        let endpoint = try read(variables, ["/a/stratus.json": file]).endpoint(of: nil)
        #expect(endpoint.server == "https://env.example" && endpoint.environment == .development)
        #expect(endpoint.container.rawValue == "iCloud.two")
        #expect(endpoint.apiToken == "t" && endpoint.webAuthToken == "u")
        #expect(try read(variables).endpoint(of: "iCloud.any").apiToken == "t", "no file is needed")
    }

    @Test func profiles() throws {
        let configuration = try read(["STRATUS_PROFILE": "work"], ["/a/stratus.json": file])
        #expect(configuration.url == "https://work.example" && configuration.webAuthToken == "x")
        #expect(configuration.apiToken == "a" && configuration.containers.count == 2)
        #expect(throws: StratusConfiguration.Failure.self) {
            try read(["STRATUS_PROFILE": "none"], ["/a/stratus.json": file])
        }
    }

    @Test(arguments: [
        ([:], "STRATUS_URL"), (["STRATUS_CONFIG": "/c.json"], "/c.json"),
        (["STRATUS_URL": "ftp://x", "STRATUS_CONTAINER": "iCloud.x"], "ftp://x"),
        (["STRATUS_URL": "http://x", "STRATUS_CONTAINER": "x"], "'x'"),
        (["STRATUS_URL": "http://x", "STRATUS_CONTAINER": "iCloud.x"], "STRATUS_API_TOKEN"),
        (["STRATUS_URL": "http://x"], "STRATUS_CONTAINER"),
        (["STRATUS_URL": "http://x", "STRATUS_CONTAINER": "iCloud.x", "STRATUS_ENVIRONMENT": "test"], "'test'"),
    ])
    func whatIsMissingIsNamed(_ variables: [String: String], _ name: String) throws {
        do {
            _ = try read(variables).endpoint(of: nil)
            Issue.record("nothing is missing")
        } catch let failure as StratusConfiguration.Failure {
            #expect(failure.description.contains(name))
        }
    }

    @Test func damagedFilesAreNamed() throws {
        do {
            _ = try read([:], ["/a/stratus.json": "{"])
            Issue.record("the file was read")
        } catch let failure as StratusConfiguration.Failure {
            #expect(failure.description.contains("/a/stratus.json"))
        }
    }
}
