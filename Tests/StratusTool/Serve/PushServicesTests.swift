import Foundation
import StratusCloudCrypto
import StratusCloudModel
import Testing

@testable import StratusTool

@Suite struct PushServicesTests {
    private struct Key: Decodable { let applicationServerKey: String }

    /// The status of `/push/key`, and the key if there is one.
    private func key(_ server: RunningServer) async throws -> (status: Int, key: String?) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/curl")
        process.arguments = ["-s", "-w", "%{http_code}", server.baseURL + "/push/key"]
        let pipe = Pipe()
        process.standardOutput = pipe
        #expect(try await process.runToEnd() == 0)
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        let status = try #require(Int(String(decoding: output.suffix(3), as: UTF8.self)))
        guard status == 200 else { return (status, nil) }
        return (status, try JSONDecoder().decode(Key.self, from: output.dropLast(3)).applicationServerKey)
    }

    @Test func theKeyForBrowsersIsMadeOnceAndTold() async throws {
        let tool = try Tool()
        let file = tool.data.appending(path: "vapid.key").path()
        var told: [String] = []
        for _ in 0..<2 {
            let server = try await RunningServer(tool, ["--web-push-contact", "mailto:ada@example.org"])
            told.append(try #require(try await key(server).key))
            #expect(try await server.end(by: SIGTERM) == 0)
        }
        #expect(told[0] == told[1])
        let pem = try String(contentsOfFile: file, encoding: .utf8)
        #expect(try Base64.urlString(P256PrivateKey(pem: pem).publicKey.point()) == told[0])
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
    }

    @Test func withoutWebPushThereIsNoKey() async throws {
        let tool = try Tool()
        let server = try await RunningServer(tool)
        #expect(try await key(server).status == 404)
        #expect(!FileManager.default.fileExists(atPath: tool.data.appending(path: "vapid.key").path()))
        #expect(try await server.end(by: SIGTERM) == 0)
    }

    @Test(arguments: [
        (["--vapid-key", "k.pem"], "web-push-contact"), (["--web-push-private-endpoints"], "web-push-contact"),
        (["--web-push-contact", "ada@example.org"], "mailto:"), (["--apns-key-id", "K"], "must be set together"),
        (["--apns-endpoint", "https://a"], "must be set together"),
    ])
    func settingsThatMissSomething(options: [String], word: String) async throws {
        let ended = try await Tool().run(["serve", "--port", "0"] + options)
        #expect(ended.status == 2 && ended.errors.contains(word), "\(ended)")
    }

    @Test func aFileThatIsNoKeyIsRefused() async throws {
        let tool = try Tool()
        let path = try tool.write("no key", to: "AuthKey.p8")
        let options = ["--apns-key", path, "--apns-key-id", "K", "--apns-team-id", "T", "--apns-topic", "org.example"]
        let ended = try await tool.run(["serve", "--port", "0"] + options)
        #expect(ended.status == 2 && ended.errors.contains("AuthKey.p8"), "\(ended)")
    }

    @Test func theConfigurationFileSaysTheSame() async throws {
        let tool = try Tool()
        let pem = try tool.write(P256PrivateKey.generate().pem(), to: "AuthKey.p8")
        let text = """
            {"web-push-contact": "https://example.org", "vapid-key": "\(pem)", "web-push-private-endpoints": true,
             "apns-key": "\(pem)", "apns-key-id": "K", "apns-team-id": "T", "apns-topic": "org.example",
             "apns-endpoint": "https://127.0.0.1:1", "push-authorities": "/dev/null"}
            """
        let server = try await RunningServer(tool, ["--config", try tool.write(text, to: "serve.json")])
        #expect(try await key(server).status == 200)
        #expect(try await server.end(by: SIGTERM) == 0)
    }
}
