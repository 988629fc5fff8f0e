import Foundation
import StratusBackups
import StratusCloudModel
import StratusCloudServer
import StratusHTTPTransport
import StratusWorkers
import Testing

@testable import StratusTool

@Suite struct ControlTests {
    @Test func requestsComeBack() throws {
        let context = ControlContext(container: "iCloud.a", environment: "production")
        let requests: [ControlRequest] = [
            .ping, .verify(), .backUp(path: "/b", keep: 7, includesKeys: true),
            .createContainer(identifier: "iCloud.a"),
            .createAccount(email: "a", password: "b"),
            .createToken(context: context, name: "n", callback: nil, origins: ["o"]),
            .modifyRecords(
                database: ControlDatabase(context: context, scope: "private", email: "a"), body: #"{"a":"\"é\n"}"#),
            .exportRecords(
                database: ControlDatabase(context: context, scope: "public"), zone: "z", recordType: nil, after: "x"),
            .readAsset(
                database: ControlDatabase(context: context, scope: "public"), fileChecksum: "A", offset: 1 << 40),
            .uploadAsset(ticket: "t", offset: 1, total: 4, bytes: Data([0, 255, 10])),
        ]
        for request in requests {
            #expect(try ControlCoding.decode(try ControlCoding.encode(request)) == request)
        }
    }

    @Test(arguments: [
        (#"{"version":2,"request":{"ping":{}}}"#, "version 2"), (#"{"version":1,"request":{"dance":{}}}"#, "unknown"),
        ("{}", "not a control request"), ("", "not a control request"),
    ])
    func otherRequestsAreRefused(body: String, word: String) {
        let failure = #expect(throws: ControlFailure.self) { try ControlCoding.decode(Array(body.utf8)) }
        #expect(failure?.error.code == .badRequest)
        #expect(failure?.reason.contains(word) == true)
    }

    @Test func aBusyServerIsAskedAgain() async throws {
        let tool = try Tool()
        try FileManager.default.createDirectory(at: tool.data, withIntermediateDirectories: true)
        let handler = BusyServer(refusals: 2)
        let server = HTTPServer(
            configuration: HTTPServerConfiguration(
                address: .unixSocket(path: ControlSocket.path(for: tool.data.path())), ioThreads: 1),
            executor: WorkerPool(threads: 1), handler: handler)
        _ = try server.start()
        let run = try await tool.run(["container", "list"])
        await server.stop(drainingFor: .zero)
        #expect(run.status == 0)
        #expect(run.output.contains("iCloud.org.example.patience"), "\(run)")
        #expect(handler.answered == 4)
    }

    @Test func answersComeBack() throws {
        let failure = ControlFailure(CloudError(.tryAgainLater, "busy", retryAfter: 3))
        let answers: [ControlResponse] = [
            .done, .backup(BackupSummary(snapshot: "s", files: 1, bytes: 1 << 40, newBytes: 3, removed: ["r"])),
            .storeFailed(code: "corrupted", message: "m"), .names(["a"]),
            .session(webAuthToken: "t", userRecordName: "u"),
            .page(ControlPage(lines: ["{}"], assets: [ControlAsset(fileChecksum: "A", size: 1)], next: nil)),
            .bytes(Data([0, 255])), .failed(failure),
        ]
        for answer in answers {
            #expect(try ControlCoding.decodeResponse(try ControlCoding.encode(answer)) == answer)
        }
        #expect(failure.error == CloudError(.tryAgainLater, "busy", retryAfter: 3))
    }
}

/// A server that is busy with other commands for a while.
private final class BusyServer: HTTPHandler {
    private let refusals: Int
    private let requests = Lock(0)

    init(refusals: Int) { self.refusals = refusals }

    var answered: Int { requests.withLock { $0 } }

    func bodyPolicy(for head: HTTPRequestHead) -> BodyPolicy { .buffered(limit: ControlEndpoint.bodyLimit) }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let number = requests.withLock { count in
            count += 1
            return count
        }
        let answer = ControlResponse.names(["iCloud.org.example.patience"])
        guard number > refusals, let body = try? ControlCoding.encode(answer) else { return HTTPResponse(status: 503) }
        return HTTPResponse(status: 200, headers: [("Content-Type", "application/json")], body: .bytes(body))
    }
}
