import Foundation
import StratusCloudCrypto
import StratusCloudModel

/// Encrypts the values of one zone's records that are to be saved.
struct RecordSealer: Sendable {
    /// Whose zone it is.
    let place: AccountPlace
    /// By record name.
    var keys: [String: ZoneKey] = [:]
    /// What the server is told of the keys.
    var claims: [EncryptionClaim] = []
    let random: RandomSource

    init(place: AccountPlace, random: RandomSource) {
        self.place = place
        self.random = random
    }

    /// What is sent in a value's place; nil for a record whose key is not here.
    func input(_ value: PlainValue, field: String, of record: CKRecord) -> FieldInput? {
        self.field(
            value, named: field, recordType: record.recordType, recordName: record.recordID.recordName,
            zoneName: record.recordID.zoneID.zoneName
        ).map { FieldInput($0) }
    }

    func field(
        _ value: PlainValue, named name: String, recordType: String, recordName: String, zoneName: String
    ) -> Field? {
        guard let key = keys[recordName] else { return nil }
        let valuePlace = ValuePlace(
            account: place, zoneName: zoneName, recordType: recordType, recordName: recordName, field: name)
        let nonce = random.bytes(AES256GCM.nonceLength)
        return Field(
            .scalar(.bytes(SealedValue(value, for: valuePlace, with: key, nonce: nonce).bytes)), isEncrypted: true)
    }
}
