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
        record.withHead { head in
            write(head, to: &writer, &pieces) { record.fields.visit(&$0) }
        }
    }

    /// As ``write(_:to:_:)``, of a record's parts.
    func write(
        _ head: RecordHead, to writer: inout JSONWriter, _ pieces: inout RecordPieces,
        fields visit: (inout FieldWriter) throws -> Void
    ) rethrows {
        writer.beginObject()
        writer.piece(#""recordName":"#, needsComma: false)
        writer.string(utf8: head.recordName)
        writer.piece(#","recordType":"#, needsComma: false)
        writer.string(utf8: head.recordType)
        writer.piece(#","fields":{"#, needsComma: false)
        try FieldWriter.write(of: head, self, to: &writer, visit)
        // Apple's answers always have the second of these members.
        writer.piece(#"},"pluginFields":{},"recordChangeTag":"#, needsComma: false)
        writer.string(head.recordChangeTag)
        writer.piece(#","created":{"timestamp":"#, needsComma: false)
        write(head.created, to: &writer, &pieces)
        writer.piece(#","modified":{"timestamp":"#, needsComma: false)
        write(head.modified, to: &writer, &pieces)
        writer.fragment(pieces.place(head.zoneID, form))
        write("parent", head.parent, to: &writer)
        write("share", head.share, to: &writer)
        writer.optional("shortGUID", head.shortGUID)
        if let share = head.shareDetails { writer.shareMembers(share.value) }
        writer.endObject()
    }

    private func write(_ name: StaticString, _ reference: Reference?, to writer: inout JSONWriter) {
        guard let reference else { return }
        writer.key(name)
        writer.reference(reference, form)
    }

    /// Writes what follows the key of a stamp's time.
    private func write(_ stamp: RecordHead.Stamp, to writer: inout JSONWriter, _ pieces: inout RecordPieces) {
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
        writer.piece(#","type":""#, needsComma: false)
        writer.piece(type.wireName(isList: isList, isEncrypted: isEncrypted), needsComma: false)
        writer.piece(isEncrypted && type != .bytes ? #"","isEncrypted":true}"# : #""}"#, needsComma: true)
    }
}
