import Foundation
import StratusCloudModel

/// Translates records that came.
package struct RecordDecoding {
    let names: IdentityNames
    /// Where the bytes of assets were put.
    var files: [Asset: URL] = [:]
    /// What opens encrypted values.
    var opener = RecordOpener.none

    init(names: IdentityNames, opener: RecordOpener = .none) {
        self.names = names
        self.opener = opener
    }

    /// Leaves encrypted values as they are.
    package init(names: IdentityNames) { self.init(names: names, opener: .none) }

    func recordID(of record: Record) -> CKRecord.ID {
        CKRecord.ID(recordName: record.recordName, zoneID: names.zoneID(record.zoneID))
    }

    /// - Parameter recordID: the name under which it was asked for, where there is one.
    /// - Throws: if an encrypted value cannot be opened. A record without it would look as if there were none.
    package func record(_ record: Record, as recordID: CKRecord.ID? = nil) throws -> CKRecord {
        let recordID = recordID ?? self.recordID(of: record)
        return CKRecord.make(record.recordType, recordID, try state(record, recordID))
    }

    private func state(_ record: Record, _ recordID: CKRecord.ID) throws -> RecordState {
        var plain: [String: RecordValue] = [:]
        var encrypted: [String: RecordValue] = [:]
        for entry in record.fields {
            let decoding = FieldDecoding(recordID: recordID, fieldKey: entry.name, names: names) { files[$0] }
            let value = decoding.value(try opener.plain(entry.field, named: entry.name, of: record))
            if entry.field.isEncrypted { encrypted[entry.name] = value } else { plain[entry.name] = value }
        }
        var state = systemState(record, recordID)
        state.plain = RecordFields(fetched: plain)
        state.encrypted = RecordFields(fetched: encrypted)
        state.base = (plain, encrypted)
        return state
    }

    /// What the server says about a record beside its values.
    func systemState(_ record: Record, _ recordID: CKRecord.ID) -> RecordState {
        let decoding = FieldDecoding(recordID: recordID, fieldKey: "", names: names)
        var state = RecordState()
        state.server = server(record)
        state.parent = record.parent.map(decoding.reference)
        state.share = record.share.map(decoding.reference)
        state.sharing = record.shareDetails.map {
            ShareDecoding(names: names).state(
                $0.value, shortGUID: record.shortGUID, opener.shareSecrets[recordID])
        }
        return state
    }

    func server(_ record: Record) -> RecordState.Server {
        RecordState.Server(
            changeTag: record.recordChangeTag, creationDate: record.created.date,
            creator: names.userID(record.created.userRecordName), modificationDate: record.modified.date,
            modifier: names.userID(record.modified.userRecordName), device: record.modified.deviceID)
    }
}

extension RecordStamp {
    fileprivate var date: Date { Timestamp(milliseconds: timestamp).date }
}
