import CloudModel

extension ResponseEncoder {
    /// The answer to `records/modify`: one item for each operation, in their order.
    public func modifyRecords(_ results: [RecordResult], syncToken: String? = nil) -> [UInt8] {
        var pieces = RecordPieces()
        return list("records", results, syncToken: syncToken) { write($0, to: &$1, &pieces) }
    }

    /// The answer to `records/lookup`: one item for each name, in their order.
    public func lookupRecords(_ results: [RecordResult], syncToken: String? = nil) -> [UInt8] {
        modifyRecords(results, syncToken: syncToken)
    }

    /// The answer to `records/query`.
    public func queryRecords(_ page: QueryRecordsPage, syncToken: String? = nil) -> [UInt8] {
        var pieces = RecordPieces()
        return list(
            "records", page.records, syncToken: syncToken, more: ("continuationMarker", page.continuationMarker)
        ) { write($0, to: &$1, &pieces) }
    }

    private func write(_ result: RecordResult, to writer: inout JSONWriter, _ pieces: inout RecordPieces) {
        switch result {
        case .saved(let record): write(record, to: &writer, &pieces)
        case .deleted(let recordName, let zoneID):
            writeTombstone(recordName, nil, zoneID, to: &writer)
        case .failed(let recordName, let error):
            writer.beginObject()
            writer.key("recordName")
            // Some clients want the key in every item.
            writer.string(recordName ?? "")
            writeMembers(of: error, to: &writer)
            if let stored = error.serverRecord?.value {
                writer.key(WireNames.serverRecord)
                write(stored, to: &writer, &pieces)
            }
            writer.endObject()
        }
    }

    /// What stands for a deleted record. Clients know a deletion by its having no record type.
    func writeTombstone(
        _ recordName: String, _ recordType: String?, _ zoneID: ZoneID, to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.key("recordName")
        writer.string(recordName)
        writer.key("deleted")
        writer.boolean(true)
        writer.key("zoneID")
        writer.zoneID(zoneID, form)
        writer.optional(WireNames.deletedRecordType, recordType)
        writer.endObject()
    }

    /// A record with all its keys. What `pieces` remembers of the records before it is not made again.
    func write(_ record: Record, to writer: inout JSONWriter, _ pieces: inout RecordPieces) {
        writer.beginObject()
        writer.key("recordName")
        writer.string(record.recordName)
        writer.key("recordType")
        writer.string(record.recordType)
        writer.key("fields")
        writer.beginObject()
        FieldWriter.write(record, self, to: &writer)
        writer.endObject()
        writer.fragment(RecordPieces.pluginFields)
        writer.key("recordChangeTag")
        writer.string(record.recordChangeTag)
        writer.key("created")
        write(record.created, to: &writer, &pieces)
        writer.key("modified")
        write(record.modified, to: &writer, &pieces)
        writer.fragment(pieces.place(record.zoneID, form))
        write("parent", record.parent, to: &writer)
        write("share", record.share, to: &writer)
        writer.optional("shortGUID", record.shortGUID)
        writer.endObject()
    }

    private func write(_ name: StaticString, _ reference: Reference?, to writer: inout JSONWriter) {
        guard let reference else { return }
        writer.key(name)
        writer.reference(reference, form)
    }

    private func write(_ stamp: RecordStamp, to writer: inout JSONWriter, _ pieces: inout RecordPieces) {
        writer.beginObject()
        writer.key("timestamp")
        writer.integer(stamp.timestamp)
        writer.fragment(pieces.author(of: stamp))
        writer.endObject()
    }

    func write(_ field: Field, to writer: inout JSONWriter) {
        let form = form
        let type = field.value.scalarType
        writer.beginObject()
        writer.key("value")
        switch field.value {
        case .scalar(let value):
            writer.scalar(value, form)
            writer.optional(WireNames.exactReferenceSeconds, value.exactReferenceSeconds)
        case .list(_, let elements):
            writer.beginArray()
            for element in elements { writer.scalar(element, form) }
            writer.endArray()
            if type == .timestamp { writer.exactSeconds(elements.map(\.exactReferenceSeconds)) }
        }
        endField(of: type, isList: field.value.isList, isEncrypted: field.isEncrypted, to: &writer)
    }

    /// Says what type a field's value has, and closes it.
    func endField(of type: ScalarType, isList: Bool, isEncrypted: Bool, to writer: inout JSONWriter) {
        writer.key("type")
        writer.constant(type.wireName(isList: isList, isEncrypted: isEncrypted))
        if isEncrypted, type != .bytes {
            writer.key("isEncrypted")
            writer.boolean(true)
        }
        writer.endObject()
    }
}
