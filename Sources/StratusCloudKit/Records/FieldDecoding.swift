import Foundation
import StratusCloudModel
import StratusCoreLocation

/// Translates values that came into what records keep.
struct FieldDecoding {
    let recordID: CKRecord.ID
    let fieldKey: CKRecord.FieldKey
    let names: IdentityNames
    /// Where the bytes of an asset were put; nil where they were not fetched.
    var file: (Asset) -> URL? = { _ in nil }

    func value(_ field: Field) -> RecordValue? {
        switch field.value {
        case .scalar(let value): RecordValue(object(value))
        case .list(_, let elements): RecordValue(elements.map(object))
        }
    }

    private func object(_ value: ScalarValue) -> Any {
        switch value {
        case .string(let text): text
        case .int64(let number): NSNumber(value: number)
        case .double(let number): NSNumber(value: number)
        case .timestamp(let timestamp): timestamp.date
        case .bytes(let bytes): Data(bytes)
        case .location(let place): CLLocation(place)
        case .reference(let reference): self.reference(reference)
        case .asset(let asset):
            CKAsset(
                fileURL: file(asset),
                stored: CKAsset.Stored(asset: asset.withoutAddress, recordID: recordID, fieldKey: fieldKey))
        }
    }

    func reference(_ reference: Reference) -> CKRecordReference {
        let zoneID = reference.zoneID.map(names.zoneID) ?? recordID.zoneID
        return CKRecordReference(
            recordID: CKRecord.ID(recordName: reference.recordName, zoneID: zoneID),
            action: reference.action == .deleteSelf ? .deleteSelf : .none)
    }
}

extension Asset {
    /// What identifies the bytes.
    var withoutAddress: Asset {
        Asset(
            fileChecksum: fileChecksum, size: size, referenceChecksum: referenceChecksum, wrappingKey: wrappingKey)
    }
}

extension CLLocation {
    /// A place that came.
    convenience init(_ place: Location) {
        self.init(
            coordinate: CLLocationCoordinate2D(latitude: place.latitude, longitude: place.longitude),
            altitude: place.altitude ?? 0, horizontalAccuracy: place.horizontalAccuracy ?? 0,
            verticalAccuracy: place.verticalAccuracy ?? -1, course: place.course ?? -1, speed: place.speed ?? -1,
            timestamp: place.timestamp?.date ?? Date(timeIntervalSinceReferenceDate: 0))
    }
}
