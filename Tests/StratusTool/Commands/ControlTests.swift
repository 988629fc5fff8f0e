import CloudModel
import CloudServer
import Foundation
import Testing

@testable import StratusTool

@Suite struct ControlTests {
    @Test func requestsComeBack() throws {
        let context = ControlContext(container: "iCloud.a", environment: "production")
        let requests: [ControlRequest] = [
            .ping, .verify, .backUp(path: "/b"), .createContainer(identifier: "iCloud.a"),
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

    @Test func answersComeBack() throws {
        let failure = ControlFailure(CloudError(.tryAgainLater, "busy", retryAfter: 3))
        let answers: [ControlResponse] = [
            .done, .backup(nameInDataDirectory: "s"), .storeFailed(code: "corrupted", message: "m"), .names(["a"]),
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
