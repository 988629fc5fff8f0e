import StratusCloudModel
import StratusCloudServer
import StratusCloudWire

/// Looks records up and saves them in one zone, through whoever does operator commands.
struct RecordClient: Sendable {
    let database: ControlDatabase
    /// nil stands for the default zone.
    let zone: String?

    private var zoneID: ZoneID { ZoneID(zoneName: zone ?? ZoneID.defaultZoneName) }

    /// Returns a result for each name, in order.
    func lookup(
        _ names: [String], desiredKeys: [String]? = nil, _ operation: any Operator
    ) async throws(ToolError) -> [RecordResult] {
        let items = names.map { LookupRecordsRequest.Item(recordName: $0) }
        return try await results(names.count, operation) { () throws(CloudError) in
            let request = LookupRecordsRequest(items: items, zoneID: zoneID, desiredKeys: desiredKeys)
            return .lookupRecords(database: database, body: Self.text(try RequestEncoder().lookupRecords(request)))
        }
    }

    /// Returns a result for each operation, in order.
    func modify(
        _ operations: [RecordOperation], _ operation: any Operator
    ) async throws(ToolError) -> [RecordResult] {
        try await results(operations.count, operation) { () throws(CloudError) in
            let request = ModifyRecordsRequest(operations: operations, zoneID: zoneID, atomic: false)
            return .modifyRecords(database: database, body: Self.text(try RequestEncoder().modifyRecords(request)))
        }
    }

    /// Deletes records.
    /// - Returns: for each name, in order, why it was not deleted; a name that no record has is such a reason.
    func delete(_ names: [String], _ operation: any Operator) async throws(ToolError) -> [CloudError?] {
        var errors = try await lookup(names, desiredKeys: [], operation).map(\.error)
        let found = names.indices.filter { errors[$0] == nil }
        guard !found.isEmpty else { return errors }
        let operations = found.map { RecordOperation(.forceDelete, RecordInput(recordName: names[$0])) }
        for (index, result) in zip(found, try await modify(operations, operation)) { errors[index] = result.error }
        return errors
    }

    /// Saves one record.
    func save(_ save: RecordOperation, _ operation: any Operator) async throws(ToolError) -> Record {
        switch try await modify([save], operation).first {
        case .saved(let record)?: return record
        case .failed(let name, let error)?:
            throw name.map { ToolError(error, record: $0) } ?? ToolError(error)
        case .deleted?, nil: throw .unexpectedAnswer
        }
    }

    /// Changes fields of a record, or creates it if there is none of that name.
    func save(
        _ changes: RecordChanges, name: String?, type: String?, _ operation: any Operator
    ) async throws(ToolError) -> Record {
        var input = RecordInput(recordName: name, recordType: type)
        var kind = RecordOperation.Kind.create
        if let name {
            switch try await lookup([name], operation).first {
            case .saved(let known)?:
                guard type == nil || type == known.recordType else {
                    throw ToolError(
                        "record '\(name)' is of type '\(known.recordType)'; the type of a record cannot change",
                        code: "BAD_REQUEST")
                }
                (kind, input.recordType, input.recordChangeTag) = (.update, known.recordType, known.recordChangeTag)
            case .failed(_, let error)? where error.code == .notFound: break
            case .failed(_, let error)?: throw ToolError(error, record: name)
            case .deleted?, nil: throw .unexpectedAnswer
            }
        }
        guard let recordType = input.recordType else { throw .usage("--type is required for a new record") }
        let types = try await FieldTypes(of: database.context, operation).types(of: recordType)
        input.fields = try changes.fields(types)
        return try await save(RecordOperation(kind, input), operation)
    }

    private func results(
        _ count: Int, _ operation: any Operator, _ request: () throws(CloudError) -> ControlRequest
    ) async throws(ToolError) -> [RecordResult] {
        do {
            guard case .body(let body) = try await operation.perform(try request()) else {
                throw ToolError.unexpectedAnswer
            }
            let results = try ResponseDecoder().recordResults(Array(body.utf8))
            guard results.count == count else { throw ToolError.unexpectedAnswer }
            return results
        } catch {
            throw error as? ToolError ?? (error as? CloudError).map { ToolError($0) } ?? ToolError("\(error)")
        }
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

extension RecordResult {
    /// Why something could not be done; nil if it was.
    fileprivate var error: CloudError? {
        if case .failed(_, let error) = self { error } else { nil }
    }
}
