import StratusCloudModel

extension RequestDecoder {
    /// `records/modify`. At most ``operationLimit`` operations.
    public func modifyRecords(_ body: [UInt8]) throws(CloudError) -> Decoded<ModifyRecordsRequest> {
        let body = try open(body)
        let list = try body.required("operations")
        var operations: [RecordOperation] = []
        let elements = try bounded(list, "operations")
        operations.reserveCapacity(list.count)
        for element in elements {
            var operation = try element.recordOperation()
            if readsHistory { operation.record.history = try element.member("record")?.recordHistory().map(Boxed.init) }
            operations.append(operation)
        }
        return Decoded(
            ModifyRecordsRequest(
                operations: operations, zoneID: try body.zoneID("zoneID"), atomic: try body.flag("atomic"),
                desiredKeys: try body.texts("desiredKeys"), requestID: try body.text("requestID"),
                encryptedFor: try encryptionClaims(body),
                clientChangeToken: try body.bytes(WireNames.clientChangeToken)),
            options: try options(body))
    }

    /// `records/lookup`. At most ``operationLimit`` names.
    public func lookupRecords(_ body: [UInt8]) throws(CloudError) -> Decoded<LookupRecordsRequest> {
        let body = try open(body)
        let list = try body.required("records")
        var items: [LookupRecordsRequest.Item] = []
        let elements = try bounded(list, "records")
        items.reserveCapacity(list.count)
        for element in elements {
            items.append(
                LookupRecordsRequest.Item(
                    recordName: try element.required("recordName").string(),
                    desiredKeys: try element.texts("desiredKeys")))
        }
        return Decoded(
            LookupRecordsRequest(
                items: items, zoneID: try body.zoneID("zoneID"), desiredKeys: try body.texts("desiredKeys")),
            options: try options(body))
    }
}

extension JSONReader {
    /// What a record says of its making and its latest change; nil unless it says both.
    fileprivate func recordHistory() throws(CloudError) -> RecordHistory? {
        guard let created = member("created"), let modified = member("modified") else { return nil }
        return RecordHistory(created: try created.stamp(), modified: try modified.stamp())
    }

    fileprivate func recordOperation() throws(CloudError) -> RecordOperation {
        RecordOperation(
            try required("operationType").operationKind(), try required("record").recordInput(),
            desiredKeys: try texts("desiredKeys"))
    }

    private func operationKind() throws(CloudError) -> RecordOperation.Kind {
        guard let kind = RecordOperation.Kind(rawValue: try string()) else {
            throw refusal("must be create, update, forceUpdate, replace, forceReplace, delete or forceDelete")
        }
        return kind
    }

    private func recordInput() throws(CloudError) -> RecordInput {
        try requireObject()
        let parent = memberOrNull("parent")
        var type = try text("recordType")
        // Apple's documentation and its service spell it differently.
        if let word = type, word.utf8.count == SystemRecordType.share.utf8.count,
            word.lowercased() == SystemRecordType.share
        {
            type = SystemRecordType.share
        }
        let isShare =
            type == SystemRecordType.share || member("forRecord") != nil || member("participants") != nil
            || member("publicPermission") != nil
        return RecordInput(
            recordName: try text("recordName"), recordType: type,
            recordChangeTag: try text("recordChangeTag"), fields: try fieldInputs(),
            parent: parent?.isNull == false ? try parent?.reference() : nil,
            clearsParent: parent?.isNull ?? false, createShortGUID: try flag("createShortGUID") ?? false,
            share: isShare ? try shareInput().map { Boxed($0) } : nil)
    }

    private func fieldInputs() throws(CloudError) -> [(name: String, field: FieldInput)] {
        guard let fields = member("fields") else { return [] }
        guard fields.count <= ModelLimits.fieldsPerRecordType else {
            throw fields.refusal("has \(fields.count) members; the limit is \(ModelLimits.fieldsPerRecordType)")
        }
        var inputs: [(name: String, field: FieldInput)] = []
        inputs.reserveCapacity(fields.count)
        for (name, value) in try fields.members() { inputs.append((name, try value.field())) }
        return inputs
    }
}
