import CloudCrypto
import CloudModel
import Foundation

/// Encrypts the values of one zone's records that are to be saved.
struct RecordSealer: Sendable {
    let place: AccountPlace
    let key: ZoneKey
    let random: RandomSource

    /// What is sent in a value's place.
    func input(_ value: PlainValue, field: String, of record: CKRecord) -> FieldInput {
        FieldInput(
            self.field(
                value, named: field, recordType: record.recordType, recordName: record.recordID.recordName,
                zoneName: record.recordID.zoneID.zoneName))
    }

    func field(
        _ value: PlainValue, named name: String, recordType: String, recordName: String, zoneName: String
    ) -> Field {
        let valuePlace = ValuePlace(
            account: place, zoneName: zoneName, recordType: recordType, recordName: recordName, field: name)
        let nonce = random.bytes(AES256GCM.nonceLength)
        return Field(
            .scalar(.bytes(SealedValue(value, for: valuePlace, with: key, nonce: nonce).bytes)), isEncrypted: true)
    }
}
