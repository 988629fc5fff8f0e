import Foundation
import StratusCloudModel
import StratusCloudService
import StratusCloudStore

@testable import StratusCloudServer

/// A cloud with people who have passwords, and browsers that open the links of shares.
final class SharePlace: Sendable {
    static let owner = TestCloud.email
    static let form = ("Content-Type", "application/x-www-form-urlencoded")

    let cloud: TestCloud

    init(
        _ people: [String] = ["bob@example.org", "eve@example.org"], store: any CloudStore = MemoryStore(),
        mail: MailService? = nil, signUp: SignUpPolicy = .closed
    ) async throws {
        cloud = try await TestCloud(store: store, mail: mail, signUp: signUp)
        for email in people { try await cloud.service.createAccount(email: email, password: TestCloud.password) }
        try await cloud.service.updateProfile(
            email: Self.owner, ProfileChange(givenName: "Ada", familyName: "Lovelace"))
    }

    func caller(_ email: String) async throws -> Caller {
        let context = TestCloud.context()
        return Caller(
            context: context,
            principal: .user(try await cloud.service.userRecordName(email: email, in: context)))
    }

    /// Makes a share of one record in a zone of its own.
    /// - Returns: the short GUID, and those of one-time links.
    func share(
        _ title: String = "Trip", with participants: [ShareParticipantInput] = [], open: SharePermission = .none,
        takesRequests: Bool = false, thumbnail: [UInt8]? = nil
    ) async throws -> (shortGUID: String, oneTime: [String]) {
        let caller = try await caller(Self.owner)
        let zone = ZoneID(zoneName: "Z-" + UUID().uuidString)
        _ = try await cloud.service.modifyZones([ZoneOperation(.create, zone)], in: .private, as: caller)
        var input = ShareInput()
        input.forRecord = ShareInput.Root(recordName: "root")
        input.participants = participants
        input.publicPermission = open
        input.denyAccessRequests = !takesRequests
        var fields = [(name: "cloudkit.title", field: FieldInput(.text(title)))]
        if let thumbnail {
            fields.append(("cloudkit.thumbnailImageData", FieldInput(Field(.scalar(.bytes(thumbnail))))))
        }
        let results = try await cloud.service.modifyRecords(
            ModifyRecordsRequest(
                operations: [
                    RecordOperation(.create, RecordInput(recordName: "root", recordType: "Folder")),
                    RecordOperation(
                        .create,
                        RecordInput(
                            recordName: "share", recordType: SystemRecordType.share, fields: fields,
                            share: Boxed(input))),
                ], zoneID: zone), in: .private, as: caller)
        guard case .saved(let share)? = results.last, let shortGUID = share.shortGUID else {
            throw Failure(what: "\(results)")
        }
        return (shortGUID, share.shareDetails?.value.participants.compactMap(\.oneTimeShortGUID) ?? [])
    }

    struct Failure: Error {
        var what: String
    }

    static func invitation(
        _ email: String, _ permission: SharePermission = .readOnly, _ role: ShareRole = .user
    ) -> ShareParticipantInput {
        ShareParticipantInput(lookup: .emailAddress(email), role: role, permission: permission)
    }

    /// A browser in which somebody is signed in.
    func browser(_ email: String) async throws -> Browser {
        let session = try await cloud.service.beginAccountSession(
            email: email, password: TestCloud.password, source: nil)
        return Browser(client: cloud.client, session: session)
    }

    /// A browser in which nobody is.
    var stranger: Browser { Browser(client: cloud.client, session: nil) }

    /// Keeps nothing but the session.
    struct Browser: Sendable {
        let client: RawClient
        let session: String?

        func open(_ shortGUID: String, query: String = "") async throws -> RawResponse {
            try await client.send("GET", "/share/\(shortGUID)\(query)", headers: cookie)
        }

        /// Sends a form of the page, with its token.
        func submit(
            _ shortGUID: String, _ action: String, _ fields: [(String, String)] = [], token: String? = nil,
            headers: [(String, String)] = []
        ) async throws -> RawResponse {
            let token = if let token { token } else { try await formToken(shortGUID) }
            let all = [("action", action), ("form", token)] + fields
            let body = all.map { "\($0.0)=\(PercentEncoding.encode($0.1))" }.joined(separator: "&")
            return try await client.send(
                "POST", "/share/\(shortGUID)", headers: [SharePlace.form] + cookie + headers, body: body)
        }

        func formToken(_ shortGUID: String) async throws -> String {
            // The account's page has it whatever the link's page shows.
            let page = try await client.send("GET", "/account", headers: cookie).body
            return SharePlace.value(after: "name=\"form\" value=\"", in: page) ?? ""
        }

        private var cookie: [(String, String)] { session.map { [("Cookie", "stratus-account=\($0)")] } ?? [] }
    }

    /// What stands in a page between some text and the next quotation mark.
    static func value(after text: String, in page: String) -> String? {
        page.range(of: text).map { String(page[$0.upperBound...].prefix { $0 != "\"" }) }
    }
}
