import FoundationEssentials
import StratusCloudModel
import StratusCloudWire
import StratusDeviceCredentials
import StratusHTTPClient

/// The web services as somebody who signed in with `stratus login`.
struct ShareClient: Sendable {
    let session: StoredSession
    private let profile: String
    private let file: CredentialsFile?
    private let http: HTTPClient

    /// - Parameter file: Where renewed tokens are kept; nil for a session that is not stored.
    init(_ session: StoredSession, profile: String, file: CredentialsFile?) {
        self.session = session
        self.profile = profile
        self.file = file
        var options = HTTPClientOptions()
        options.certificateAuthorityFile = session.certificateAuthorityFile
        options.usesEnvironmentProxy = true
        options.timeout = .seconds(30)
        http = HTTPClient(options: options)
    }

    /// The address of a short GUID.
    func link(_ shortGUID: String) -> String { "\(session.url)/share/\(shortGUID)" }

    // MARK: - Links

    /// - Throws: `NOT_FOUND` and others of the link.
    func resolve(_ shortGUID: String) async throws(ToolError) -> ShareLink {
        try await links("resolve", shortGUID)
    }

    /// - Parameter action: `resolve`, `accept` or `decline`.
    func links(_ action: String, _ shortGUID: String) async throws(ToolError) -> ShareLink {
        let answer = try await post("public/records/\(action)") { () throws(CloudError) in
            try RequestEncoder().shareLinks([ShareLinkRequest(shortGUID: shortGUID)])
        }
        switch try read({ () throws(CloudError) in try ResponseDecoder().shareLinkResults(answer) }).first {
        case .link(let link)?: return link.value
        case .failed(_, let error)?: throw ToolError(error)
        case nil: throw .unexpectedAnswer
        }
    }

    /// What the user is invited to and has not come into.
    func invitations() async throws(ToolError) -> [ShareLink] {
        let answer = try await post("public/records/invitations") { () throws(CloudError) in
            try RequestEncoder().shareInvitationsList()
        }
        return try read { () throws(CloudError) in try ResponseDecoder().shareLinkResults(answer) }.compactMap {
            result in
            if case .link(let link) = result { link.value } else { nil }
        }
    }

    /// Sends invitations by e-mail.
    func sendInvitations(_ shortGUID: String, to participantIDs: [String]) async throws(ToolError) {
        _ = try await post("public/records/invite") { () throws(CloudError) in
            try RequestEncoder().shareInvitations(
                ShareInvitationsRequest(shortGUID: shortGUID, participantIDs: participantIDs))
        }
    }

    // MARK: - Records

    /// Saves or deletes records; all or none.
    /// - Returns: those that were saved.
    @discardableResult func modify(
        _ operations: [RecordOperation], in zoneID: ZoneID, _ scope: DatabaseScope
    ) async throws(ToolError) -> [Record] {
        let answer = try await post("\(scope.rawValue)/records/modify") { () throws(CloudError) in
            try RequestEncoder().modifyRecords(ModifyRecordsRequest(operations: operations, zoneID: zoneID))
        }
        return try saved(
            try read { () throws(CloudError) in try ResponseDecoder(zoneID: zoneID).recordResults(answer) })
    }

    /// A record of the user's own.
    func lookup(_ name: String, in zoneID: ZoneID) async throws(ToolError) -> Record {
        let answer = try await post("private/records/lookup") { () throws(CloudError) in
            try RequestEncoder().lookupRecords(
                LookupRecordsRequest(items: [LookupRecordsRequest.Item(recordName: name)], zoneID: zoneID))
        }
        let records = try saved(
            try read { () throws(CloudError) in try ResponseDecoder(zoneID: zoneID).recordResults(answer) })
        guard let record = records.first else { throw .unexpectedAnswer }
        return record
    }

    private func saved(_ results: [RecordResult]) throws(ToolError) -> [Record] {
        var records: [Record] = []
        // Of operations that failed together the cause says more than its consequences.
        var failure: CloudError?
        for result in results {
            switch result {
            case .saved(let record): records.append(record)
            case .deleted: break
            case .failed(_, let error): if failure == nil || failure?.code == .atomicError { failure = error }
            }
        }
        if let failure { throw ToolError(failure) }
        return records
    }

    /// The share records of all zones of a database that are shared.
    func shares(in scope: DatabaseScope) async throws(ToolError) -> [Record] {
        let list = try await post("\(scope.rawValue)/zones/list") { () throws(CloudError) in
            try RequestEncoder().listZones()
        }
        let zones = try read { () throws(CloudError) in try ResponseDecoder().zones(list) }
        var shares: [Record] = []
        for zone in zones where !zone.zoneID.isDefault {
            var token: String?
            repeat {
                let page = try await self.shares(of: zone.zoneID, in: scope, since: token)
                for case .saved(let record) in page.changes { shares.append(record) }
                token = page.moreComing ? page.syncToken : nil
            } while token != nil
        }
        return shares
    }

    private func shares(
        of zoneID: ZoneID, in scope: DatabaseScope, since token: String?
    ) async throws(ToolError) -> ZoneChangesPage {
        let answer = try await post("\(scope.rawValue)/changes/zone") { () throws(CloudError) in
            try RequestEncoder().zoneChanges([
                ZoneChangesRequest(
                    zoneID: zoneID, syncToken: token, desiredRecordTypes: [SystemRecordType.share])
            ])
        }
        switch try read({ () throws(CloudError) in try ResponseDecoder().zoneChanges(answer) }).first {
        case .page(_, let page)?: return page
        case .failed(_, let error)?: throw ToolError(error)
        case nil: throw .unexpectedAnswer
        }
    }

    // MARK: - Requests

    private func read<Answer>(_ body: () throws(CloudError) -> Answer) throws(ToolError) -> Answer {
        do throws(CloudError) { return try body() } catch { throw ToolError(error) }
    }

    private func post(
        _ path: String, _ body: () throws(CloudError) -> [UInt8]
    ) async throws(ToolError) -> [UInt8] {
        let bytes = try read(body)
        let place = [session.container, session.environment].map(PercentEncoding.encode).joined(separator: "/")
        let query = PercentEncoding.encode([
            (name: "ckAPIToken", value: session.apiToken), (name: "ckWebAuthToken", value: session.webAuthToken),
        ])
        let response: HTTPClientResponse
        do throws(HTTPClientError) {
            response = try await http.send(
                HTTPClientRequest(
                    method: "POST", url: "\(session.url)/database/1/\(place)/\(path)?\(query)",
                    headers: ["Content-Type": "application/json"], body: bytes))
        } catch {
            throw ToolError("'\(session.url)' cannot be reached: \(error.message)", code: "UNREACHABLE")
        }
        try keep(response.headers["X-Apple-CloudKit-Web-Auth-Token"])
        guard response.status == 200 else {
            guard let refusal = try? ResponseDecoder().refusal(response.body) else {
                throw ToolError("the server answered with the HTTP status \(response.status)")
            }
            if refusal.error.code == .authenticationRequired {
                throw ToolError("you are signed out; run 'stratus login'", code: refusal.error.code.rawValue)
            }
            throw ToolError(refusal.error)
        }
        return response.body
    }

    /// Keeps a renewed token, so that who comes now and then stays signed in.
    private func keep(_ token: String?) throws(ToolError) {
        let now = Int64(Date().timeIntervalSince1970)
        guard let file, let token, !token.isEmpty, now - session.renewed > Self.renewal else { return }
        var renewed = session
        (renewed.webAuthToken, renewed.renewed) = (token, now)
        do throws(CredentialsError) { try file.renew(renewed, in: profile) } catch { throw ToolError(error) }
    }

    /// Seconds after which a token is worth replacing: an hour.
    private static let renewal: Int64 = 3_600
}
