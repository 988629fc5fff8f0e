import StratusCloudModel

extension ResponseDecoder {
    /// The answer to `changes/zone`.
    public func zoneChanges(_ body: [UInt8]) throws(CloudError) -> [ZoneChangesResult] {
        try read(body) { (body) throws(CloudError) in
            try read("zones", of: body) { (item) throws(CloudError) in
                let zoneID = try item.required("zoneID").zoneID()
                guard item.member("serverErrorCode") == nil else {
                    return .failed(zoneID, try item.cloudError(in: zoneID))
                }
                return .page(zoneID, try page(item, in: zoneID))
            }
        }
    }

    /// The answer to `records/changes`, or to `changes/records`.
    public func recordChanges(_ body: [UInt8]) throws(CloudError) -> ZoneChangesPage {
        try read(body) { (body) throws(CloudError) in try page(body, in: zoneID) }
    }

    /// The answer to `changes/database`, whose zones have no tokens, or to `zones/changes`.
    public func databaseChanges(_ body: [UInt8]) throws(CloudError) -> DatabaseChangesPage {
        try read(body) { (body) throws(CloudError) in
            let zones = try read("zones", of: body) { (item) throws(CloudError) in try item.zoneResult() }
            let token = try body.token()
            return DatabaseChangesPage(
                zones: zones, syncToken: token, moreComing: try body.flag("moreComing") ?? false)
        }
    }

    private func page(_ body: JSONReader, in zone: ZoneID) throws(CloudError) -> ZoneChangesPage {
        let changes = try read("records", of: body) { (item) throws(CloudError) in try item.recordChange(in: zone) }
        return ZoneChangesPage(
            changes: changes, syncToken: try body.required("syncToken").string(),
            moreComing: try body.flag("moreComing") ?? false, reverse: try body.flag("reverse") ?? false,
            clientChangeToken: try body.bytes(WireNames.clientChangeToken))
    }
}

extension JSONReader {
    fileprivate func token() throws(CloudError) -> String {
        if let token = member("metaSyncToken") { return try token.string() }
        return try required("syncToken").string()
    }

    fileprivate func recordChange(in zone: ZoneID) throws(CloudError) -> RecordChange {
        guard try flag("deleted") == true else { return .saved(try record(in: zone)) }
        return .deleted(
            recordName: try required("recordName").string(), recordType: try text(WireNames.deletedRecordType),
            zoneID: try zoneID("zoneID") ?? zone)
    }
}
