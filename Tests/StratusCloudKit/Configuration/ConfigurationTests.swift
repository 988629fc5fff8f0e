import CloudKit
import StratusDeviceCredentials
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
        let first = try configuration.place(of: nil).endpoint
        #expect(first.container.rawValue == "iCloud.one" && first.apiToken == "a" && first.webAuthToken == "w")
        #expect(try configuration.place(of: "iCloud.two").endpoint.apiToken == "b")
    }

    @Test func theEnvironmentGoesOverIt() throws {
        let variables = [
            "STRATUS_URL": "https://env.example/", "STRATUS_ENVIRONMENT": "development", "STRATUS_API_TOKEN": "t",
            "STRATUS_WEB_AUTH_TOKEN": "u", "STRATUS_CONTAINER": "iCloud.two",
        ]
        let endpoint = try read(variables, ["/a/stratus.json": file]).place(of: nil).endpoint
        #expect(endpoint.server == "https://env.example" && endpoint.environment == .development)
        #expect(endpoint.container.rawValue == "iCloud.two")
        #expect(endpoint.apiToken == "t" && endpoint.webAuthToken == "u")
        #expect(try read(variables).place(of: "iCloud.any").endpoint.apiToken == "t", "no file is needed")
    }

    @Test func whereTheKeysAre() throws {
        let file = #"{"url": "https://x", "keys": "/a/keys", "profiles": {"work": {"keys": "secret-service"}}}"#
        let files = ["/a/stratus.json": file]
        #expect(try read(["STRATUS_URL": "https://x"]).keyStorage == .files(directory: nil))
        #expect(try read([:], files).keyStorage == .files(directory: "/a/keys"))
        #expect(try read(["STRATUS_PROFILE": "work"], files).keyStorage == .secretService)
        #expect(try read(["STRATUS_KEYS": "/b"], files).keyStorage == .files(directory: "/b"))
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
            _ = try read(variables).place(of: nil).endpoint
            Issue.record("nothing is missing")
        } catch let failure as StratusConfiguration.Failure {
            #expect(failure.description.contains(name))
        }
    }

    // MARK: Stored credentials

    private func session(_ url: String, _ container: String, _ environment: String = "production") -> StoredSession {
        StoredSession(
            url: url, container: container, environment: environment, apiToken: "s", webAuthToken: "st",
            userRecordName: "_u", certificateAuthorityFile: "/ca.pem", renewed: 0)
    }

    private func read(
        _ variables: [String: String], _ files: [String: String] = [:], _ sessions: [String: [StoredSession]]
    ) throws -> StratusConfiguration.Place {
        let reader = ConfigurationReader(variables: variables, files: ["/a/stratus.json", "/b/stratus.json"]) {
            files[$0].map { Data($0.utf8) }
        } sessions: {
            sessions[$0] ?? []
        }
        let configuration = try reader.configuration()
        return try configuration.place(of: nil, sessions[configuration.profile ?? ""] ?? [])
    }

    @Test func aSignInIsEnough() throws {
        let stored = [session("https://cloud.example", "iCloud.one"), session("https://other.example", "iCloud.x")]
        let place = try read([:], [:], ["default": stored])
        #expect(place.endpoint.server == "https://cloud.example" && place.endpoint.container.rawValue == "iCloud.one")
        #expect(place.endpoint.environment == .production && place.endpoint.apiToken == "s")
        #expect(place.endpoint.webAuthToken == "st" && place.certificateAuthorityFile == "/ca.pem")
        #expect(place.session == stored[0])
    }

    @Test func everythingElseGoesBeforeStoredCredentials() throws {
        let stored = ["default": [session("https://file.example", "iCloud.one")]]
        let ofFile = try read([:], ["/a/stratus.json": file], stored)
        #expect(ofFile.endpoint.webAuthToken == "w" && ofFile.endpoint.apiToken == "a" && ofFile.session == nil)
        let ofEnvironment = try read(["STRATUS_WEB_AUTH_TOKEN": "e"], ["/a/stratus.json": file], stored)
        #expect(ofEnvironment.endpoint.webAuthToken == "e" && ofEnvironment.session == nil)
        let withoutToken =
            #"{"url": "https://file.example/", "environment": "production", "containers": ["iCloud.one"]}"#
        let filled = try read([:], ["/a/stratus.json": withoutToken], stored)
        #expect(filled.endpoint.webAuthToken == "st" && filled.endpoint.apiToken == "s" && filled.session != nil)
    }

    @Test func aSignInIsForItsPlaceOnly() throws {
        let stored = ["default": [session("https://file.example", "iCloud.one")]]
        let named = [
            "STRATUS_API_TOKEN": "t", "STRATUS_URL": "https://file.example", "STRATUS_CONTAINER": "iCloud.one",
            "STRATUS_ENVIRONMENT": "production",
        ]
        #expect(try read(named, [:], stored).endpoint.webAuthToken == "st")
        for other in [
            ["STRATUS_URL": "https://evil.example"], ["STRATUS_CONTAINER": "iCloud.two"],
            ["STRATUS_ENVIRONMENT": "development"],
        ] {
            #expect(try read(named.merging(other) { $1 }, [:], stored).endpoint.webAuthToken == nil)
        }
    }

    @Test func profilesOfSignIns() throws {
        let stored = [
            "default": [session("https://a.example", "iCloud.a")], "work": [session("https://b.example", "iCloud.b")],
        ]
        #expect(try read(["STRATUS_PROFILE": "work"], [:], stored).endpoint.server == "https://b.example")
        #expect(try read(["STRATUS_PROFILE": ""], [:], stored).endpoint.server == "https://a.example")
        #expect(throws: StratusConfiguration.Failure.self) { try read(["STRATUS_PROFILE": "none"], [:], stored) }
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
