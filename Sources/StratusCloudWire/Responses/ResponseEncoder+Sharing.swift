import StratusCloudModel

extension ResponseEncoder {
    /// The answer to `records/resolve` and `records/accept`: one item for each link, in their order.
    /// - Parameter webpage: makes the address of a link's page.
    public func shareLinks(_ results: [ShareLinkResult], webpage: (String) -> String?) -> [UInt8] {
        var place = RecordPlace()
        return list("results", results, syncToken: nil) { result, writer in
            switch result {
            case .link(let link): write(link.value, webpage(link.value.request.shortGUID), to: &writer, &place)
            case .failed(let shortGUID, let error):
                writer.beginObject()
                writeShortGUID(ShareLinkRequest(shortGUID: shortGUID), to: &writer)
                writeMembers(of: error, to: &writer)
                writer.endObject()
            }
        }
    }

    /// The answer to `records/requestAccess`: the same for every link, wherever it leads.
    public func accessRequests(_ shortGUIDs: [String]) -> [UInt8] {
        list("results", shortGUIDs, syncToken: nil) { shortGUID, writer in
            writer.beginObject()
            writeShortGUID(ShareLinkRequest(shortGUID: shortGUID), to: &writer)
            writer.endObject()
        }
    }

    /// The answer to `records/invite`: those whose invitations are on their way.
    public func shareInvitations(_ participantIDs: [String]) -> [UInt8] {
        list("results", participantIDs, syncToken: nil) { id, writer in
            writer.beginObject()
            writer.optional("participantId", id)
            writer.endObject()
        }
    }

    private func writeShortGUID(_ request: ShareLinkRequest, to writer: inout JSONWriter) {
        writer.key("shortGUID")
        writer.beginObject()
        writer.optional("value", request.shortGUID)
        writer.optional("shouldFetchRootRecord", request.wantsRootRecord)
        writer.endObject()
    }

    private func write(
        _ link: ShareLink, _ webpage: String?, to writer: inout JSONWriter, _ place: inout RecordPlace
    ) {
        writer.beginObject()
        writeShortGUID(link.request, to: &writer)
        writer.optional("containerIdentifier", link.context.container.rawValue)
        writer.optional("environment", link.context.environment.rawValue.uppercased())
        writer.optional("databaseScope", link.databaseScope.rawValue.uppercased())
        writer.key("zoneID")
        writer.zoneID(link.zoneID, form)
        writer.key("share")
        write(link.share, to: &writer, &place)
        // Some clients stop without the key; a whole zone has no root, and its share stands for it.
        writer.optional("rootRecordName", link.rootRecordName ?? link.share.recordName)
        if let root = link.rootRecord {
            writer.key("rootRecord")
            write(root, to: &writer, &place)
        }
        writer.optional("participantType", link.role.rawValue)
        writer.optional("participantStatus", link.acceptance.rawValue)
        writer.optional("participantPermission", link.permission.rawValue)
        writer.key("ownerIdentity")
        writer.shareIdentity(link.owner)
        writer.key("potentialMatchList")
        writer.beginArray()
        writer.endArray()
        writer.optional("webpageURL", webpage)
        writer.endObject()
    }
}
