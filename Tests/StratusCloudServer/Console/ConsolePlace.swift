import Foundation
import StratusCloudModel
import StratusCloudService
import StratusCloudStore
import Testing

@testable import StratusCloudServer

/// A cloud with developers in all places, each in a browser of their own.
final class ConsolePlace: Sendable {
    static let password = "a password for tests"
    static let otherContainer = "iCloud.org.example.other"

    let cloud: TestCloud
    let owner: Browser

    init(_ cloud: TestCloud? = nil) async throws {
        let cloud = if let cloud { cloud } else { try await TestCloud() }
        self.cloud = cloud
        let code = try await cloud.service.inviteOwner(by: "test")
        let stranger = Browser(client: cloud.client, session: nil)
        let answer = try await stranger.send(
            "POST", "set-up",
            [
                "code": code, "email": "owner@example.org", "name": "Olivia", "password": Self.password,
            ])
        owner = Browser(client: cloud.client, session: Browser.session(in: answer))
        try #require(answer.status == 200, "\(answer.body)")
    }

    /// A browser in which nobody is signed in.
    var nobody: Browser { Browser(client: cloud.client, session: nil) }

    /// A new developer in the team of a container.
    func developer(
        _ role: String, in container: String = TestCloud.container, email: String? = nil
    ) async throws -> Browser {
        let address = email ?? "\(role)@\(container.dropFirst(7)).example"
        let invitation = try await owner.send(
            "POST", "c/\(container)/team", ["email": address, "role": role])
        let code = try #require(invitation.json["code"] as? String, "\(invitation.body)")
        let answer = try await nobody.send(
            "POST", "invitations/\(code)", ["name": "A \(role)", "password": Self.password])
        try #require(answer.status == 200, "\(answer.body)")
        return Browser(client: cloud.client, session: Browser.session(in: answer))
    }

    /// Everything that the directory's partition holds.
    func storedBytes() async throws -> [UInt8] {
        try await cloud.store.read(Partition("directory")) { transaction in
            try transaction.entries(in: KeyRange(prefix: Key([])), limit: .max).flatMap { $0.key.bytes + $0.value }
        }
    }

    func stop() async { await cloud.stop() }

    /// Keeps nothing but the session.
    struct Browser: Sendable {
        let client: RawClient
        let session: String?

        static let ownHeader = ("X-Stratus-Console", "1")

        func send(
            _ method: String, _ path: String, _ body: [String: Any]? = nil, headers: [(String, String)] = [ownHeader]
        ) async throws -> RawResponse {
            let text = try body.map {
                String(decoding: try JSONSerialization.data(withJSONObject: $0), as: UTF8.self)
            }
            let cookie = session.map { [("Cookie", "stratus-console=\($0)")] } ?? []
            return try await client.send(method, "/console/api/" + path, headers: cookie + headers, body: text ?? "")
        }

        func get(_ path: String) async throws -> RawResponse { try await send("GET", path, headers: []) }

        /// An operation of the web services in the container.
        func ck(
            _ operation: String, _ body: [String: Any], in database: String = "public",
            environment: String = "development", as user: String? = nil
        ) async throws -> RawResponse {
            try await send(
                "POST", "c/\(TestCloud.container)/\(environment)/ck/\(database)/\(operation)", body,
                headers: [Self.ownHeader] + (user.map { [("X-Stratus-Act-As", $0)] } ?? []))
        }

        static func session(in response: RawResponse) -> String? {
            guard let cookie = response["Set-Cookie"], cookie.hasPrefix("stratus-console=") else { return nil }
            return String(cookie.dropFirst("stratus-console=".count).prefix { $0 != ";" })
        }
    }
}

/// Bodies of the web services.
enum Body {
    static func save(_ type: String, _ name: String, _ fields: [String: Any] = [:]) -> [String: Any] {
        [
            "operations": [
                [
                    "operationType": "forceUpdate",
                    "record": [
                        "recordType": type, "recordName": name, "fields": fields.mapValues { ["value": $0] },
                    ],
                ]
            ]
        ]
    }

    static func lookUp(_ name: String, zone: [String: Any]? = nil) -> [String: Any] {
        var body: [String: Any] = ["records": [["recordName": name]]]
        body["zoneID"] = zone
        return body
    }
}

extension RawResponse {
    /// The records, or refusals, of an answer of the web services.
    var records: [[String: Any]] { json["records"] as? [[String: Any]] ?? [] }
    var error: String? { json["error"] as? String }
}

/// Answers of the telemetry.
extension RawResponse {
    /// The n-th last value of a series.
    func last(_ name: String, back: Int = 0) -> Double? {
        let series = json["series"] as? [String: Any]
        let numbers = series?[name] as? [Any] ?? []
        guard numbers.count > back else { return nil }
        return (numbers[numbers.count - 1 - back] as? NSNumber)?.doubleValue
    }

    /// The row of an operation in a table.
    func row(_ table: String, _ operation: String) -> [String: Any]? {
        (json[table] as? [[String: Any]])?.first { $0["operation"] as? String == operation }
    }
}
