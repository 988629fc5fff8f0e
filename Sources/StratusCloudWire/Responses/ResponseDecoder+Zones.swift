import StratusCloudModel

extension ResponseDecoder {
    /// The answer to `zones/lookup` or `zones/modify`.
    public func zoneResults(_ body: [UInt8]) throws(CloudError) -> [ZoneResult] {
        try read(body) { (body) throws(CloudError) in
            try read("zones", of: body) { (item) throws(CloudError) in try item.zoneResult() }
        }
    }

    /// The answer to `zones/list`.
    public func zones(_ body: [UInt8]) throws(CloudError) -> [Zone] {
        try read(body) { (body) throws(CloudError) in
            try read("zones", of: body) { (item) throws(CloudError) in try item.zone() }
        }
    }
}

extension JSONReader {
    func zoneResult() throws(CloudError) -> ZoneResult {
        if member("serverErrorCode") != nil {
            let zoneID = try required("zoneID").zoneID()
            return .failed(zoneID, try cloudError(in: zoneID))
        }
        if try flag("deleted") == true {
            // A reason that this client does not know is a deletion all the same.
            let reason = try text(WireNames.deletionReason).flatMap { ZoneDeletionReason(rawValue: $0) }
            return .deleted(try required("zoneID").zoneID(), reason ?? .deleted)
        }
        return .zone(try zone())
    }

    fileprivate func zone() throws(CloudError) -> Zone {
        let zoneID = try required("zoneID").zoneID()
        return Zone(
            zoneID: zoneID, syncToken: try text("syncToken") ?? "", atomic: try flag("atomic") ?? !zoneID.isDefault,
            share: try reference("share"))
    }
}
