import StratusCloudModel

extension RequestDecoder {
    /// `records/resolve`, `records/accept` and `records/requestAccess`. A link may be the short GUID alone.
    public func shareLinks(_ body: [UInt8]) throws(CloudError) -> [ShareLinkRequest] {
        let list = try open(body).required("shortGUIDs")
        var requests: [ShareLinkRequest] = []
        for element in try bounded(list, "shortGUIDs") { requests.append(try element.shareLinkRequest()) }
        return requests
    }

    /// `records/invite`: `shortGUID`, and `participantIds` of those whose invitations are sent by e-mail.
    public func shareInvitations(_ body: [UInt8]) throws(CloudError) -> ShareInvitationsRequest {
        let object = try open(body)
        let guid = try object.required("shortGUID")
        let list = try object.required("participantIds")
        var ids: [String] = []
        for element in try bounded(list, "participantIds") { ids.append(try element.string()) }
        return ShareInvitationsRequest(
            shortGUID: try (guid.member("value") ?? guid).string(), participantIDs: ids)
    }
}

extension JSONReader {
    fileprivate func shareLinkRequest() throws(CloudError) -> ShareLinkRequest {
        guard member("value") != nil else { return ShareLinkRequest(shortGUID: try string()) }
        return ShareLinkRequest(
            shortGUID: try required("value").string(), wantsRootRecord: try lenientFlag("shouldFetchRootRecord"),
            rootDesiredKeys: try texts("rootRecordDesiredKeys"))
    }

    /// One client sends 0 and 1.
    private func lenientFlag(_ name: StaticString) throws(CloudError) -> Bool {
        guard let member = member(name) else { return false }
        if let number = try? member.integer() { return number != 0 }
        return try member.boolean()
    }
}
