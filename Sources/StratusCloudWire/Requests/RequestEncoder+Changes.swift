import StratusCloudModel

extension RequestEncoder {
    /// `changes/zone`. Zones beyond those of `options` have the encoder's own.
    public func zoneChanges(
        _ requests: [ZoneChangesRequest], options: [WireOptions] = []
    ) throws(CloudError) -> [UInt8] {
        try body { (writer) throws(CloudError) in
            writer.key("zones")
            writer.beginArray()
            for (index, request) in requests.enumerated() {
                writer.beginObject()
                writer.members(of: request)
                if index < options.count {
                    writer.optional(WireNames.numbersAsStrings, options[index].numbersAsStrings)
                }
                writer.endObject()
            }
            writer.endArray()
        }
    }

    /// `records/changes`.
    public func recordChanges(_ request: ZoneChangesRequest) throws(CloudError) -> [UInt8] {
        try body { (writer) throws(CloudError) in writer.members(of: request) }
    }

    /// `changes/records`, an addition.
    public func publicChanges(_ request: PublicChangesRequest) throws(CloudError) -> [UInt8] {
        try body { (writer) throws(CloudError) in
            writer.optional("syncToken", request.syncToken)
            writer.optional("resultsLimit", request.resultsLimit)
            writer.optional("desiredKeys", request.desiredKeys)
            writer.optional("desiredRecordTypes", request.desiredRecordTypes)
        }
    }

    /// `changes/database`.
    public func databaseChanges(_ request: DatabaseChangesRequest) throws(CloudError) -> [UInt8] {
        try databaseChanges(request, token: "syncToken")
    }

    /// `zones/changes`.
    public func zonesChanges(_ request: DatabaseChangesRequest) throws(CloudError) -> [UInt8] {
        try databaseChanges(request, token: "metaSyncToken")
    }

    private func databaseChanges(
        _ request: DatabaseChangesRequest, token: StaticString
    ) throws(CloudError) -> [UInt8] {
        try body { (writer) throws(CloudError) in
            writer.optional(token, request.syncToken)
            writer.optional("resultsLimit", request.resultsLimit)
        }
    }
}

extension JSONWriter {
    fileprivate mutating func members(of request: ZoneChangesRequest) {
        key("zoneID")
        zoneID(request.zoneID, .request)
        optional("syncToken", request.syncToken)
        optional("resultsLimit", request.resultsLimit)
        optional("desiredKeys", request.desiredKeys)
        optional("desiredRecordTypes", request.desiredRecordTypes)
        if request.reverse { optional("reverse", true) }
    }

    fileprivate mutating func optional(_ name: StaticString, _ count: Int?) {
        guard let count else { return }
        key(name)
        integer(count)
    }
}
