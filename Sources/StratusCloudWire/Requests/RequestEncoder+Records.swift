import StratusCloudModel

extension RequestEncoder {
    /// `records/modify`.
    public func modifyRecords(_ request: ModifyRecordsRequest) throws(CloudError) -> [UInt8] {
        try body { (writer) throws(CloudError) in
            writer.key("operations")
            writer.beginArray()
            for operation in request.operations { try write(operation, to: &writer) }
            writer.endArray()
            writer.optional("zoneID", request.zoneID)
            writer.optional("atomic", request.atomic)
            writer.optional("desiredKeys", request.desiredKeys)
            writer.optional("requestID", request.requestID)
            writer.encryptionClaims(request.encryptedFor)
            writer.optional(WireNames.clientChangeToken, base64: request.clientChangeToken)
        }
    }

    /// `records/lookup`.
    public func lookupRecords(_ request: LookupRecordsRequest) throws(CloudError) -> [UInt8] {
        try body { (writer) throws(CloudError) in
            writer.key("records")
            writer.beginArray()
            for item in request.items {
                writer.beginObject()
                writer.key("recordName")
                writer.string(item.recordName)
                writer.optional("desiredKeys", item.desiredKeys)
                writer.endObject()
            }
            writer.endArray()
            writer.optional("zoneID", request.zoneID)
            writer.optional("desiredKeys", request.desiredKeys)
        }
    }

    private func write(_ operation: RecordOperation, to writer: inout JSONWriter) throws(CloudError) {
        writer.beginObject()
        writer.key("operationType")
        writer.string(operation.kind.rawValue)
        writer.key("record")
        try write(operation.record, to: &writer)
        writer.optional("desiredKeys", operation.desiredKeys)
        writer.endObject()
    }

    private func write(_ record: RecordInput, to writer: inout JSONWriter) throws(CloudError) {
        writer.beginObject()
        writer.optional("recordName", record.recordName)
        writer.optional("recordType", record.recordType)
        writer.optional("recordChangeTag", record.recordChangeTag)
        if !record.fields.isEmpty {
            writer.key("fields")
            writer.beginObject()
            for (name, field) in record.fields {
                guard field.value.isFinite else {
                    throw CloudError(.badRequest, "The field \(name) has a number that is not finite.")
                }
                writer.key(named: name)
                writer.field(field)
            }
            writer.endObject()
        }
        if let parent = record.parent {
            writer.key("parent")
            writer.reference(parent, .request)
        } else if record.clearsParent {
            writer.key("parent")
            writer.null()
        }
        if let history = record.history?.value {
            writer.stamp("created", history.created)
            writer.stamp("modified", history.modified)
        }
        if record.createShortGUID { writer.optional("createShortGUID", true) }
        if let share = record.share { writer.shareInput(share.value) }
        writer.endObject()
    }
}

extension JSONWriter {
    fileprivate mutating func stamp(_ name: StaticString, _ stamp: RecordStamp) {
        key(name)
        beginObject()
        key("timestamp")
        integer(stamp.timestamp)
        key("userRecordName")
        string(stamp.userRecordName)
        key("deviceID")
        string(stamp.deviceID)
        endObject()
    }
}
