import StratusCloudModel

extension ResponseDecoder {
    /// The answer to `records/modify` or `records/lookup`.
    public func recordResults(_ body: [UInt8]) throws(CloudError) -> [RecordResult] {
        try read(body) { (body) throws(CloudError) in
            try read("records", of: body) { (item) throws(CloudError) in try item.recordResult(in: zoneID) }
        }
    }

    /// The answer to `records/query`.
    public func recordPage(_ body: [UInt8]) throws(CloudError) -> QueryRecordsPage {
        try read(body) { (body) throws(CloudError) in
            let records = try read("records", of: body) { (item) throws(CloudError) in try item.record(in: zoneID) }
            return QueryRecordsPage(records: records, continuationMarker: try body.text("continuationMarker"))
        }
    }
}

extension JSONReader {
    fileprivate func recordResult(in zone: ZoneID) throws(CloudError) -> RecordResult {
        if member("serverErrorCode") != nil {
            let name = try text("recordName")
            return .failed(recordName: name == "" ? nil : name, try cloudError(in: zone))
        }
        if try flag("deleted") == true {
            return .deleted(recordName: try required("recordName").string(), zoneID: try zoneID("zoneID") ?? zone)
        }
        return .saved(try record(in: zone))
    }

    /// A whole record, in `zone` unless it says otherwise.
    func record(in zone: ZoneID) throws(CloudError) -> Record {
        Record(
            recordName: try required("recordName").string(), recordType: try required("recordType").string(),
            zoneID: try zoneID("zoneID") ?? zone, recordChangeTag: try required("recordChangeTag").string(),
            fields: try fieldMap(), created: try required("created").stamp(),
            modified: try required("modified").stamp(), parent: try reference("parent"),
            share: try reference("share"), shortGUID: try text("shortGUID"),
            shareDetails: try shareDetails().map { Boxed($0) })
    }

    func reference(_ name: StaticString) throws(CloudError) -> Reference? {
        guard let member = member(name) else { return nil }
        return try member.reference()
    }

    func stamp() throws(CloudError) -> RecordStamp {
        RecordStamp(
            timestamp: try required("timestamp").integerOrText(),
            userRecordName: try required("userRecordName").string(), deviceID: try text("deviceID") ?? "iCloud")
    }

    private func fieldMap() throws(CloudError) -> FieldMap {
        var map = FieldMap()
        guard let fields = member("fields") else { return map }
        guard fields.count <= ModelLimits.fieldsPerRecordType else {
            throw fields.refusal("has \(fields.count) members; the limit is \(ModelLimits.fieldsPerRecordType)")
        }
        for (name, value) in try fields.members() { map[name] = try value.typedField() }
        return map
    }
}
