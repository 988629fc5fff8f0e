import StratusCloudModel

extension JSONReader {
    /// A zone ID: `{zoneName, ownerRecordName}`. `ownerName` is taken for `ownerRecordName`, and the words some
    /// clients have for themselves become no owner.
    func zoneID() throws(CloudError) -> ZoneID {
        let name = try required("zoneName").string()
        guard let owner = member("ownerRecordName") ?? member("ownerName"),
            !WireNames.callerOwners.contains(where: { owner.isString($0) })
        else { return ZoneID(zoneName: name) }
        return ZoneID(zoneName: name, ownerRecordName: try owner.string())
    }

    /// An optional zone ID.
    func zoneID(_ name: StaticString) throws(CloudError) -> ZoneID? {
        guard let member = member(name) else { return nil }
        return try member.zoneID()
    }

    /// A reference: `{recordName, zoneID, action}`.
    func reference() throws(CloudError) -> Reference {
        Reference(
            recordName: try required("recordName").string(), zoneID: try zoneID("zoneID"),
            action: try member("action").map { (action) throws(CloudError) in try action.referenceAction() } ?? .none)
    }

    private func referenceAction() throws(CloudError) -> Reference.Action {
        if isString("NONE") { return .none }
        if isString("DELETE_SELF") { return .deleteSelf }
        // One client writes "None".
        switch try string().uppercased() {
        case "NONE": return .none
        case "DELETE_SELF": return .deleteSelf
        case "VALIDATE": return .validate
        default: throw refusal("must be NONE, DELETE_SELF or VALIDATE")
        }
    }
}
