import StratusCloudModel

extension ResponseEncoder {
    /// The answer to `records/modify`: one item for each operation, in their order.
    public func modifyRecords(_ results: [RecordResult], syncToken: String? = nil) -> [UInt8] {
        var place = RecordPlace()
        return list("records", results, syncToken: syncToken) { write($0, to: &$1, &place) }
    }

    /// The answer to `records/lookup`: one item for each name, in their order.
    public func lookupRecords(_ results: [RecordResult], syncToken: String? = nil) -> [UInt8] {
        modifyRecords(results, syncToken: syncToken)
    }

    /// The answer to `records/query`.
    public func queryRecords(_ page: QueryRecordsPage, syncToken: String? = nil) -> [UInt8] {
        var place = RecordPlace()
        return list(
            "records", page.records, syncToken: syncToken, more: ("continuationMarker", page.continuationMarker)
        ) { write($0, to: &$1, &place) }
    }

    private func write(_ result: RecordResult, to writer: inout JSONWriter, _ place: inout RecordPlace) {
        switch result {
        case .saved(let record): write(record, to: &writer, &place)
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
                write(stored, to: &writer, &place)
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

    /// A record with all its keys. What `place` remembers of the records before it is not made again.
    func write(_ record: Record, to writer: inout JSONWriter, _ place: inout RecordPlace) {
        record.withHead { head in
            write(head, to: &writer, &place) { record.fields.visit(&$0) }
        }
    }

    /// As ``write(_:to:_:)``, of a record's parts.
    func write(
        _ head: RecordHead, to writer: inout JSONWriter, _ place: inout RecordPlace,
        fields visit: (inout FieldWriter) throws -> Void
    ) rethrows {
        begin(head, to: &writer)
        try FieldWriter.write(of: head, self, to: &writer, visit)
        writeTag(of: head, to: &writer)
        writeStamps(of: head, to: &writer, &place)
        if let links = head.links {
            write("parent", links.parent, to: &writer)
            write("share", links.share, to: &writer)
            writer.optional("shortGUID", links.shortGUID)
            if let share = links.shareDetails { writer.shareMembers(share.value) }
        }
        writer.endObject()
    }

    /// Writes a record up to its first field.
    private func begin(_ head: RecordHead, to writer: inout JSONWriter) {
        let (name, type) = (head.recordName, head.recordType)
        guard JSONWriter.isPlain(name), JSONWriter.isPlain(type) else {
            writer.beginObject()
            writer.key("recordName")
            writer.string(utf8: name)
            writer.key("recordType")
            writer.string(utf8: type)
            writer.key("fields")
            return writer.beginObject()
        }
        writer.pieces(atMost: name.count &+ type.count &+ 64, opens: true) { room in
            room.put(#"{"recordName":""#)
            room.put(name)
            room.put(#"","recordType":""#)
            room.put(type)
            room.put(#"","fields":{"#)
        }
    }

    /// Closes the fields, and writes what comes before the stamps.
    private func writeTag(of head: RecordHead, to writer: inout JSONWriter) {
        var tag = head.recordChangeTag
        tag.withUTF8 { tag in
            // Apple's answers always have the first of these members.
            guard JSONWriter.isPlain(tag) else {
                writer.piece(#"},"pluginFields":{},"recordChangeTag":"#, needsComma: false)
                return writer.string(utf8: tag)
            }
            writer.endingPieces(atMost: tag.count &+ 64) { room in
                room.put(#"},"pluginFields":{},"recordChangeTag":""#)
                room.put(tag)
                room.put(UInt8(ascii: "\""))
            }
        }
    }

    /// Writes when a record was made and changed, by whom, and where it is.
    private func writeStamps(of head: RecordHead, to writer: inout JSONWriter, _ place: inout RecordPlace) {
        if head.isUnchanged, head.created.isPlain {
            writeTwice(head.created, to: &writer)
        } else {
            write("created", head.created, to: &writer)
            write("modified", head.modified, to: &writer)
        }
        place.write(head.zoneID, form, to: &writer)
    }

    private func write(_ name: StaticString, _ stamp: RecordHead.Stamp, to writer: inout JSONWriter) {
        writer.key(name)
        guard stamp.isPlain else {
            writer.beginObject()
            writer.key("timestamp")
            writer.integer(stamp.timestamp)
            writer.key("userRecordName")
            writer.string(utf8: stamp.userRecordName)
            writer.key("deviceID")
            writer.string(utf8: stamp.deviceID)
            return writer.endObject()
        }
        writer.pieces(atMost: stamp.longestJSON) { room in room.put(stamp) }
    }

    /// Writes both stamps of a record that was never changed.
    private func writeTwice(_ stamp: RecordHead.Stamp, to writer: inout JSONWriter) {
        writer.pieces(atMost: 2 &* (stamp.longestJSON &+ 16)) { room in
            room.put(#""created":"#)
            let start = room.place
            room.put(stamp)
            let written = UnsafeBufferPointer(start: start, count: room.place - start)
            room.put(#","modified":"#)
            room.put(written)
        }
    }

    private func write(_ name: StaticString, _ reference: Reference?, to writer: inout JSONWriter) {
        guard let reference else { return }
        writer.key(name)
        writer.reference(reference, form)
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
        writer.endField(of: type, isList: field.value.isList, isEncrypted: field.isEncrypted)
    }
}

extension RecordHead.Stamp {
    /// Whether its texts need no escapes.
    fileprivate var isPlain: Bool { JSONWriter.isPlain(userRecordName) && JSONWriter.isPlain(deviceID) }

    /// Bytes that it has at most as JSON, if it is plain.
    fileprivate var longestJSON: Int { userRecordName.count &+ deviceID.count &+ 80 }
}

extension JSONRoom {
    /// A stamp whose texts need no escapes.
    fileprivate mutating func put(_ stamp: RecordHead.Stamp) {
        put(#"{"timestamp":"#)
        put(stamp.timestamp)
        put(#","userRecordName":""#)
        put(stamp.userRecordName)
        put(#"","deviceID":""#)
        put(stamp.deviceID)
        put(#""}"#)
    }
}
