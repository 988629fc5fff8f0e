import StratusCloudModel

extension RequestEncoder {
    /// `records/invite`.
    public func shareInvitations(_ request: ShareInvitationsRequest) throws(CloudError) -> [UInt8] {
        try body { (writer) throws(CloudError) in
            writer.optional("shortGUID", request.shortGUID)
            writer.optional("participantIds", request.participantIDs)
        }
    }

    /// `records/invitations`.
    public func shareInvitationsList() throws(CloudError) -> [UInt8] {
        try body { _ in }
    }

    /// `records/resolve`, `records/accept` and `records/requestAccess`.
    public func shareLinks(_ requests: [ShareLinkRequest]) throws(CloudError) -> [UInt8] {
        try body { (writer) throws(CloudError) in
            writer.key("shortGUIDs")
            writer.beginArray()
            for request in requests {
                writer.beginObject()
                writer.optional("value", request.shortGUID)
                writer.optional("shouldFetchRootRecord", request.wantsRootRecord)
                writer.optional("rootRecordDesiredKeys", request.rootDesiredKeys)
                writer.endObject()
            }
            writer.endArray()
        }
    }
}
