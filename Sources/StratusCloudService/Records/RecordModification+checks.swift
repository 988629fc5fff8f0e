import StratusCloudModel
import StratusCloudStore

/// What an operation must meet.
extension RecordModification {
    func checkPermission(_ operation: PreparedOperation, _ stored: StoredRecord?) throws(CloudError) {
        let recordType = stored?.recordType ?? operation.input.recordType
        let permission: Grant.Permission = stored == nil && !operation.kind.isDeletion ? .create : .write
        if recordType == SystemRecordType.users {
            try checkUserRecord(operation, stored)
        } else if stored == nil, Names.isReserved(operation.recordName) {
            throw CloudError(.badRequest, "record name '\(operation.recordName)' must not begin with '_'")
        }
        // Without a record only the type's grants count; a caller who could create it may also ask to delete it.
        let permitted =
            Authorization.permits(
                permission, in: scope, recordType, of: schema, creator: stored?.created.userRecordName, caller)
            || stored == nil
                && Authorization.permits(.create, in: scope, recordType, of: schema, creator: nil, caller)
        guard permitted else {
            throw Authorization.denial(of: permission, recordType, of: schema, caller)
        }
    }

    /// Users' records come and go with their users; only their owners change them.
    private func checkUserRecord(_ operation: PreparedOperation, _ stored: StoredRecord?) throws(CloudError) {
        let isOwn = stored?.recordName == caller.userRecordName
        guard stored != nil, isOwn || caller.isAdministrator, !operation.kind.isDeletion else {
            if stored != nil, !operation.kind.isDeletion, case .anonymous = caller.principal {
                throw Authorization.authenticationRequired
            }
            let word = operation.kind.isDeletion ? "DELETE" : stored == nil ? "CREATE" : "WRITE"
            throw CloudError(.accessDenied, "\(word) operation not permitted")
        }
    }

    func checkPresence(
        _ operation: PreparedOperation, _ stored: StoredRecord?, _ slot: RecordSlot?
    ) throws(CloudError) {
        guard let stored else {
            if operation.kind.canCreate { return }
            throw absent(slot)
        }
        if operation.kind == .create {
            throw CloudError(.exists, "record to insert already exists", serverRecord: answer(stored))
        }
        if operation.kind.checksChangeTag { try checkTag(operation, stored) }
        if let type = operation.input.recordType, type != stored.recordType {
            throw CloudError(
                .badRequest,
                "record '\(stored.recordName)' is of type '\(stored.recordType)', not '\(type)', and types "
                    + "cannot change"
            )
        }
    }

    func checkTag(_ operation: PreparedOperation, _ stored: StoredRecord) throws(CloudError) {
        if operation.input.recordChangeTag != stored.changeTag {
            throw CloudError(.conflict, "client oplock error updating record", serverRecord: answer(stored))
        }
    }

    private func absent(_ slot: RecordSlot?) -> CloudError {
        slot == nil
            ? CloudError(.notFound, "recordChangeTag specified, but record not found")
            : CloudError(.notFound, "Oplock error updating deleted record")
    }

    func decideDeletion(
        _ operation: PreparedOperation, _ stored: StoredRecord?, _ slot: RecordSlot?
    ) throws(CloudError) -> Decision {
        guard let stored else {
            if operation.kind == .forceDelete { return .nothingToDelete }
            throw absent(slot)
        }
        if operation.kind.checksChangeTag { try checkTag(operation, stored) }
        return .delete(stored)
    }
}
