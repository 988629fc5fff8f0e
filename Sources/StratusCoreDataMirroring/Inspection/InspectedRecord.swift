import Foundation
import StratusCloudKit

/// The state of an object or a link.
package struct InspectedRecord: Sendable {
    /// The ends of a link.
    package struct Link: Sendable {
        package let relationship: String
        /// The names of the records.
        package let first: String
        package let second: String
    }

    package let zone: String
    /// The name of the record.
    package let name: String
    /// The entity and key of the object; nil for a link.
    package let object: String?
    package let link: Link?
    /// The change that waits for export: `save` or `delete`; nil for none.
    package let waits: String?
    /// Whether the server refused the change.
    package let isRefused: Bool
    /// Whether the server has the record, as far as is known.
    package let isKnown: Bool
    /// Whether this is a record that the object, or one object of a link, has left behind in its former zone.
    package let isLeftBehind: Bool

    init(zone: String, name: String, object: String? = nil, link: Link? = nil, export: ExportState) {
        self.zone = zone
        self.name = name
        self.object = object
        self.link = link
        waits =
            switch export.pending {
            case .nothing: nil
            case .save: "save"
            case .delete: "delete"
            }
        isRefused = export.pending != .nothing && export.refused == export.revision
        isKnown = export.server != nil
        isLeftBehind = false
    }

    /// Makes the state of a record that waits to be deleted because its object has moved.
    init(leftBehind name: String, in zone: String, object: String, isRefused: Bool) {
        (self.zone, self.name, self.object, link) = (zone, name, object, nil)
        (waits, isKnown, isLeftBehind) = ("delete", true, true)
        self.isRefused = isRefused
    }
}

/// The state of an object, with its record as the server had it last.
package struct InspectedObject: Sendable {
    /// A reference to a record that has not arrived.
    package struct Reference: Sendable {
        package let relationship: String
        package let target: String
    }

    /// A field of a record.
    package struct Field: Sendable {
        package let name: String
        package let isEncrypted: Bool
        package let value: Value
    }

    /// The value of a field.
    package enum Value: Sendable {
        case text(String)
        case integer(Int64)
        case real(Double)
        case date(Date)
        /// Bytes by their number.
        case bytes(Int)
        /// An asset, or a value of a kind that the mirroring does not write.
        case other(String)
    }

    /// A record as the server had it last.
    package struct Server: Sendable {
        package let type: String
        package let changeTag: String?
        package let modified: Date?
        package let fields: [Field]

        init(_ record: CKRecord) {
            type = record.recordType
            changeTag = record.recordChangeTag
            modified = record.modificationDate
            let encrypted = record.encryptedValues
            fields =
                record.allKeys().map { Field(name: $0, isEncrypted: false, value: Value(record.object(forKey: $0))) }
                + encrypted.allKeys().map {
                    Field(name: $0, isEncrypted: true, value: Value(encrypted.object(forKey: $0)))
                }
        }
    }

    package let record: InspectedRecord
    /// The time of the last local save that changed the object; nil if only the cloud has changed it.
    package let changed: Date?
    /// The record; nil if the server does not have it, as far as is known.
    package let server: Server?
    package let references: [Reference]
    package let links: [InspectedRecord]
}

extension InspectedObject.Value {
    fileprivate init(_ value: Any?) {
        switch value {
        case let text as NSString: self = .text(text as String)
        case let date as NSDate: self = .date(date as Date)
        case let data as NSData: self = .bytes(data.length)
        case let number as NSNumber:
            let isReal = ["d", "f"].contains(String(cString: number.objCType))
            self = isReal ? .real(number.doubleValue) : .integer(number.int64Value)
        case is CKAsset: self = .other("asset")
        case let other: self = .other(other.map { "\(type(of: $0))" } ?? "")
        }
    }
}
