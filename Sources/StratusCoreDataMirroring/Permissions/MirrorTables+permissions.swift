import StratusCloudKit
import StratusCoreData

// The rights of the person who is signed in, as far as the tables know them.
extension MirrorTables {
    /// Whether the person may change and delete the record of an object. An object that was not sent yet may be changed.
    func permitsChange(of key: StoredObjectKey, in scope: CKDatabase.Scope) throws -> Bool {
        guard let row = try record(key) else { return true }
        switch scope {
        case .private: return true
        case .public: return try isOwnPublicRecord(row)
        // An object that is not related to a shared one yet has no zone.
        case .shared: return try zone(row.zone)?.isWritable() ?? true
        @unknown default: return false
        }
    }

    /// Whether the person may add objects to the store.
    func permitsAddition(in scope: CKDatabase.Scope) throws -> Bool {
        switch scope {
        case .private: true
        case .public: try account() != nil
        case .shared: try zones().contains { try $0.isWritable() }
        @unknown default: false
        }
    }

    /// Whether the person has created a record of the public database, or the server does not have it yet.
    private func isOwnPublicRecord(_ row: RecordRow) throws -> Bool {
        guard let record = try row.export.serverRecord() else { return true }
        guard let account = try account(), let creator = record.creatorUserRecordID?.recordName else { return false }
        guard creator == CKCurrentUserDefaultName else { return creator == account }
        // The record says "the current user", who may have been somebody else when it was fetched.
        guard let state = try publicState(), state.account == account else { return false }
        return !state.hasRecordsOfFormerAccount || row.export.isListed
    }
}
