import CloudModel

extension RequestDecoder {
    /// `records/resolve`, `records/accept` and `records/requestAccess`. A link may be the short GUID alone.
    public func shareLinks(_ body: [UInt8]) throws(CloudError) -> [ShareLinkRequest] {
        let list = try open(body).required("shortGUIDs")
        var requests: [ShareLinkRequest] = []
        for element in try bounded(list, "shortGUIDs") { requests.append(try element.shareLinkRequest()) }
        return requests
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
