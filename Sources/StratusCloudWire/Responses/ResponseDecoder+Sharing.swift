import StratusCloudModel

extension ResponseDecoder {
    /// The answer to `records/resolve` and `records/accept`.
    public func shareLinkResults(_ body: [UInt8]) throws(CloudError) -> [ShareLinkResult] {
        try read(body) { (body) throws(CloudError) in
            try read("results", of: body) { (item) throws(CloudError) in try item.shareLinkResult(in: zoneID) }
        }
    }
}

extension JSONReader {
    fileprivate func shareLinkResult(in zone: ZoneID) throws(CloudError) -> ShareLinkResult {
        let guid = try required("shortGUID")
        let shortGUID = try guid.required("value").string()
        if member("serverErrorCode") != nil { return .failed(shortGUID: shortGUID, try cloudError(in: zone)) }
        guard let container = ContainerIdentifier(try required("containerIdentifier").string()),
            let environment = CloudEnvironment(rawValue: try required("environment").string().lowercased()),
            let scope = DatabaseScope(rawValue: try required("databaseScope").string().lowercased())
        else { throw refusal("names no container, environment or database") }
        let zoneID = try required("zoneID").zoneID()
        let share = try required("share").record(in: zoneID)
        let root = try required("rootRecordName").string()
        return .link(
            Boxed(
                ShareLink(
                    request: ShareLinkRequest(
                        shortGUID: shortGUID, wantsRootRecord: try guid.flag("shouldFetchRootRecord") ?? false),
                    context: CloudContext(container: container, environment: environment), databaseScope: scope,
                    zoneID: zoneID, share: share, rootRecordName: root == share.recordName ? nil : root,
                    rootRecord: try member("rootRecord").map { (record) throws(CloudError) in
                        try record.record(in: zoneID)
                    }, role: try required("participantType").shareRole(),
                    acceptance: try required("participantStatus").shareAcceptance(),
                    permission: try required("participantPermission").sharePermission(),
                    owner: try required("ownerIdentity").shareIdentity())))
    }

    /// What a share record says beside its fields; nil for all others.
    func shareDetails() throws(CloudError) -> ShareDetails? {
        guard let owner = member("owner"), let permission = member("publicPermission") else { return nil }
        return ShareDetails(
            publicPermission: try permission.sharePermission(),
            participants: try list("participants") { (item) throws(CloudError) in try item.shareParticipant() },
            owner: try owner.shareParticipant(),
            currentUserParticipant: try member("currentUserParticipant").map { (own) throws(CloudError) in
                try own.shareParticipant()
            }, denyAccessRequests: try flag("denyAccessRequests") ?? true,
            requesters: try list("requesters") { (item) throws(CloudError) in try item.shareIdentity() },
            blocked: try list("blocked") { (item) throws(CloudError) in try item.shareIdentity() })
    }

    private func list<Item>(
        _ name: StaticString, _ item: (JSONReader) throws(CloudError) -> Item
    ) throws(CloudError) -> [Item] {
        guard let list = member(name) else { return [] }
        var items: [Item] = []
        for element in try list.elements() { items.append(try item(element)) }
        return items
    }

    private func shareParticipant() throws(CloudError) -> ShareParticipant {
        ShareParticipant(
            participantID: try required("participantId").string(),
            identity: try required("userIdentity").shareIdentity(), role: try required("type").shareRole(),
            permission: try required("permission").sharePermission(),
            acceptance: try required("acceptanceStatus").shareAcceptance(),
            oneTimeShortGUID: try text(WireNames.oneTimeShortGUID),
            isApprovedRequester: try flag("isApprovedRequester") ?? false,
            added: try member("dateAddedToShare").map { (date) throws(CloudError) in try date.integerOrText() })
    }

    private func shareIdentity() throws(CloudError) -> ShareIdentity {
        let names = member("nameComponents")
        return ShareIdentity(
            userRecordName: try text("userRecordName"), givenName: try names?.text("givenName"),
            familyName: try names?.text("familyName"),
            lookupInfo: try member("lookupInfo").map { (info) throws(CloudError) in try info.userLookup() })
    }
}
