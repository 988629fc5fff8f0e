import Foundation
import StratusCloudKit
import StratusCoreData

/// Records with all fields of a model, from which the server of a development environment learns its schema.
struct RepresentativeRecords {
    let model: MirroredModel
    let zoneID: CKRecordZone.ID
    let staging: AssetStaging

    /// Returns a record for each record type.
    func make() throws -> [CKRecord] {
        var records: [String: CKRecord] = [:]
        for name in model.entityNames {
            guard let entity = model.entity(named: name) else { continue }
            let record = try records[entity.recordType] ?? model.record(newID(), of: name)
            records[entity.recordType] = record
            for field in entity.fields { try fill(field, in: record) }
            for reference in entity.references { record[reference.key] = record.recordID.recordName }
            record[MirroredModel.moveReceiptKey] = Data([0])
            record[MirroredModel.moveReceiptKey + "_ckAsset"] = try asset()
        }
        var made = records.sorted { $0.key < $1.key }.map(\.value)
        let links = model.entityNames.compactMap { model.entity(named: $0)?.links.first }
        if let link = links.first { made.append(link.pair(from: "a", to: "b").record(newID())) }
        return made
    }

    private func newID() -> CKRecord.ID { CKRecord.ID(recordName: UUID().uuidString, zoneID: zoneID) }

    private func asset() throws -> CKAsset { CKAsset(fileURL: try staging.file(with: Data([0]))) }

    private func fill(_ field: MirroredField, in record: CKRecord) throws {
        let value: any CKRecordValueProtocol =
            switch field.type {
            case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .booleanAttributeType:
                Int64(1)
            case .doubleAttributeType, .floatAttributeType, .decimalAttributeType: 1.5
            case .dateAttributeType: Date(timeIntervalSince1970: 0)
            case .binaryDataAttributeType, .transformableAttributeType: Data([0])
            default: "text"
            }
        if field.isEncrypted {
            record.encryptedValues[field.key] = value
        } else {
            record[field.key] = value
        }
        if let assetKey = field.assetKey { record[assetKey] = try asset() }
    }
}
