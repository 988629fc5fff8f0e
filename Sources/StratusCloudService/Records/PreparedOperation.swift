import StratusCloudModel

/// One record operation, checked as far as it can be without looking at stored records.
///
/// A class, because a structure of this size costs a dozen counted references wherever it is passed on.
final class PreparedOperation: Sendable {
    let kind: RecordOperation.Kind
    let recordName: String
    let input: RecordInput
    let desiredKeys: [String]?
    /// For a record that is to get one and has none; empty where none can be needed.
    let shortGUID: String
    /// What is wrong with the operation itself; it fails for this, whatever is stored.
    let refusal: CloudError?
    /// The assets that it brings.
    let claims: [AssetClaim]

    init(
        _ kind: RecordOperation.Kind, named recordName: String, _ input: RecordInput, desiredKeys: [String]?,
        shortGUID: String, refusal: CloudError?
    ) {
        self.kind = kind
        self.recordName = recordName
        self.input = input
        self.desiredKeys = desiredKeys
        self.shortGUID = shortGUID
        self.refusal = refusal
        claims = input.claims
    }

    /// Whether it puts assets into a record.
    var bringsAssets: Bool { !claims.isEmpty && !kind.isDeletion }
}

extension ModifyRecordsRequest {
    /// Checks what concerns the request as a whole, names the records that the client did not name, and notes what is
    /// wrong with single operations.
    ///
    /// - Throws: `badRequest` for too many operations or two for one record: then nothing of the request is done.
    func prepared(
        limit: Int, makingNames makeName: () -> String, makingShortGUIDs makeShortGUID: () -> String
    ) throws(CloudError) -> [PreparedOperation] {
        guard operations.count <= limit else {
            throw CloudError(
                .badRequest,
                "Your request contains \(operations.count) operations which is more than the maximum number of "
                    + "operations in a single request (\(limit))")
        }
        var seen: Set<String> = []
        var prepared: [PreparedOperation] = []
        prepared.reserveCapacity(operations.count)
        for operation in operations {
            var refusal: CloudError?
            do {
                try operation.checkShape()
            } catch {
                refusal = error
            }
            let prefix = operation.record.recordType == SystemRecordType.share ? "Share-" : ""
            let name = operation.record.recordName ?? (operation.kind.canCreate ? prefix + makeName() : "")
            guard operations.count == 1 || name.isEmpty || seen.insert(name).inserted else {
                throw CloudError(.badRequest, "You can't save the same record twice: record name '\(name)'")
            }
            // A share that is there already has its own.
            let wantsShortGUID =
                operation.record.createShortGUID || operation.record.isShare && operation.kind.canCreate
            prepared.append(
                PreparedOperation(
                    operation.kind, named: name, operation.record, desiredKeys: operation.desiredKeys ?? desiredKeys,
                    shortGUID: wantsShortGUID ? makeShortGUID() : "", refusal: refusal))
        }
        return prepared
    }
}

extension RecordOperation {
    /// Whether everything is there that an operation of this kind needs, and the names are names.
    fileprivate func checkShape() throws(CloudError) {
        if let name = record.recordName {
            try Names.checkRecordName(name)
        } else if !kind.canCreate {
            throw CloudError(.badRequest, "operation '\(kind.rawValue)' needs a recordName")
        }
        if kind.canCreate, record.recordType == nil {
            throw CloudError(.badRequest, "operation '\(kind.rawValue)' needs a recordType")
        }
        if kind.checksChangeTag, record.recordChangeTag == nil {
            throw CloudError(.badRequest, "operation '\(kind.rawValue)' needs a recordChangeTag")
        }
        if let type = record.recordType, !kind.isDeletion, type != SystemRecordType.share {
            try Names.checkRecordType(type)
        }
        try record.history?.value.check()
    }
}

extension RecordOperation.Kind {
    var isDeletion: Bool { self == .delete || self == .forceDelete }

    /// Whether the record is made if it is absent.
    var canCreate: Bool {
        switch self {
        case .create, .forceUpdate, .forceReplace: true
        case .update, .replace, .delete, .forceDelete: false
        }
    }

    var checksChangeTag: Bool {
        switch self {
        case .update, .replace, .delete: true
        case .create, .forceUpdate, .forceReplace, .forceDelete: false
        }
    }

    /// Whether fields that the request does not mention keep their values.
    var keepsOtherFields: Bool { self == .update || self == .forceUpdate }
}
