import StratusCloudModel

extension RequestDecoder {
    /// `zones/list`: nothing but options.
    public func listZones(_ body: [UInt8]) throws(CloudError) -> WireOptions {
        try options(try open(body))
    }

    /// `zones/lookup`: zone IDs, bare or each in an object under `zoneID`. At most
    /// ``operationLimit``.
    public func lookupZones(_ body: [UInt8]) throws(CloudError) -> [ZoneID] {
        let list = try open(body).required("zones")
        var zoneIDs: [ZoneID] = []
        for element in try bounded(list, "zones") { zoneIDs.append(try element.wrappedZoneID()) }
        return zoneIDs
    }

    /// `zones/modify`: at most ``operationLimit`` operations.
    public func modifyZones(_ body: [UInt8]) throws(CloudError) -> [ZoneOperation] {
        let body = try open(body)
        let (list, requestID) = (try body.required("operations"), try body.text("requestID"))
        var operations: [ZoneOperation] = []
        for element in try bounded(list, "operations") {
            let type = try element.required("operationType")
            guard let kind = ZoneOperation.Kind(rawValue: try type.string()) else {
                throw type.refusal("must be create or delete")
            }
            var operation = ZoneOperation(
                kind, try element.required("zone").wrappedZoneID(), requestID: requestID)
            if let word = element.member(WireNames.deletionReason) {
                guard let reason = ZoneDeletionReason(rawValue: try word.string()) else {
                    throw word.refusal("must be DELETED, PURGED or ENCRYPTED_DATA_RESET")
                }
                operation.reason = reason
            }
            operations.append(operation)
        }
        return operations
    }
}

extension JSONReader {
    /// A zone ID, bare or under `zoneID`.
    func wrappedZoneID() throws(CloudError) -> ZoneID {
        try (member("zoneID") ?? self).zoneID()
    }
}
