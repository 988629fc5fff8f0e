import Foundation
import StratusCloudModel
import StratusCoreLocation

/// Translates values into what is sent.
struct FieldEncoding {
    /// Names the value in messages.
    let field: String
    /// The zone of the record that holds the value.
    let zoneID: CKRecordZone.ID
    let names: IdentityNames
    /// What an asset became when its bytes were sent.
    var asset: (CKAsset) -> Asset? = { _ in nil }

    /// A field with a value; nil clears it.
    func input(_ value: RecordValue?) throws -> FieldInput {
        guard let value else { return FieldInput(.null) }
        return switch try plain(value) {
        case .scalar(let value): FieldInput(Field(.scalar(value)))
        case .list(let type?, let elements): FieldInput(Field(.list(of: type, elements: elements)))
        case .list(nil, _): FieldInput(.list([]), declaredType: .list(nil))
        }
    }

    /// A value with its type.
    func plain(_ value: RecordValue) throws -> PlainValue {
        guard let list = value.object as? NSArray else { return .scalar(try scalar(value.object)) }
        var elements = try list.map { try scalar($0) }
        if Set(elements.map(\.type)) == [.int64, .double] { elements = elements.map(\.asDouble) }
        let type = elements.first?.type
        guard elements.allSatisfy({ $0.type == type }) else {
            throw refusal("has members of different types")
        }
        return .list(of: type, elements)
    }

    /// One value.
    func scalar(_ value: Any) throws -> ScalarValue {
        switch value {
        case let text as NSString: return .string(String(describing: text))
        case let number as NSNumber: return try self.number(number)
        case let date as NSDate: return .timestamp(try timestamp(date as Date))
        case let data as NSData: return .bytes([UInt8](Data(referencing: data)))
        case let place as CLLocation: return .location(try location(place))
        case let reference as CKRecordReference: return .reference(self.reference(reference))
        case let asset as CKAsset:
            guard let sent = self.asset(asset) else { throw refusal("has an asset without a file") }
            return .asset(sent)
        default: throw refusal("has a value of a type that records cannot hold")
        }
    }

    private func number(_ number: NSNumber) throws -> ScalarValue {
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "d"), UInt8(ascii: "f"): return .double(number.doubleValue)
        case UInt8(ascii: "Q"), UInt8(ascii: "L"):
            guard let value = Int64(exactly: number.uint64Value) else { throw refusal("has an integer beyond 64 bits") }
            return .int64(value)
        default: return .int64(number.int64Value)
        }
    }

    /// A date with every bit: beside the milliseconds the exact seconds, where milliseconds cannot express them.
    func timestamp(_ date: Date) throws -> Timestamp {
        guard let timestamp = Timestamp(date) else { throw refusal("has a date that is out of range") }
        return timestamp
    }

    private func reference(_ reference: CKRecordReference) -> Reference {
        let target = reference.recordID
        return Reference(
            recordName: target.recordName, zoneID: target.zoneID == zoneID ? nil : names.zoneID(target.zoneID),
            action: reference.action == .deleteSelf ? .deleteSelf : .none)
    }

    func location(_ place: CLLocation) throws -> Location {
        Location(
            latitude: place.coordinate.latitude, longitude: place.coordinate.longitude,
            horizontalAccuracy: place.horizontalAccuracy, verticalAccuracy: place.verticalAccuracy,
            altitude: place.altitude, speed: place.speed, course: place.course,
            timestamp: try timestamp(place.timestamp))
    }

    private func refusal(_ what: String) -> NSError {
        .cloudKit(.invalidArguments, "The field '\(field)' \(what).")
    }
}

extension ScalarValue {
    fileprivate var asDouble: ScalarValue {
        if case .int64(let value) = self { .double(Double(value)) } else { self }
    }
}

extension Timestamp {
    /// nil if the date is no number, or some 300 million years away.
    init?(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded()
        guard milliseconds.isFinite, abs(milliseconds) < 9_007_199_254_740_992 else { return nil }
        self.init(milliseconds: Int64(milliseconds))
        let seconds = date.timeIntervalSinceReferenceDate
        if self.date.timeIntervalSinceReferenceDate.bitPattern != seconds.bitPattern { exactReferenceSeconds = seconds }
    }

    /// The date, with every bit that was sent.
    var date: Date {
        Date(timeIntervalSinceReferenceDate: exactReferenceSeconds ?? Double(milliseconds - 978_307_200_000) / 1_000)
    }
}
