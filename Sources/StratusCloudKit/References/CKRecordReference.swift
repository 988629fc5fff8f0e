import Foundation

/// A pointer from one record to another of the same zone.
///
/// A class of the top level, because keyed archives cannot name nested ones; use it as ``CKRecord/Reference``.
public final class CKRecordReference: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// What the deletion of the target means.
    public typealias Action = CKRecord.ReferenceAction

    /// The target.
    public let recordID: CKRecord.ID
    /// What the deletion of the target means for the record that holds the reference.
    public let action: CKRecord.ReferenceAction

    /// Points to a record.
    public init(recordID: CKRecord.ID, action: CKRecord.ReferenceAction) {
        self.recordID = recordID
        self.action = action
    }

    /// Points to a record.
    public convenience init(record: CKRecord, action: CKRecord.ReferenceAction) {
        self.init(recordID: record.recordID, action: action)
    }

    /// Archives hold it.
    public static var supportsSecureCoding: Bool { true }

    /// Reads it from an archive; nil if it is not whole.
    public init?(coder: NSCoder) {
        guard let recordID = coder.decoded(CKRecordID.self, "RecordID") else { return nil }
        self.recordID = recordID
        action = CKRecord.ReferenceAction(rawValue: UInt(max(0, coder.decodeInt64(forKey: "ReferenceAction")))) ?? .none
    }

    /// Writes it to an archive.
    public func encode(with coder: NSCoder) {
        coder.encode(recordID, forKey: "RecordID")
        coder.encode(Int64(action.rawValue), forKey: "ReferenceAction")
    }

    /// The same object: it never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether target and action are equal.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKRecordReference else { return false }
        return other.recordID == recordID && other.action == action
    }

    /// Of the target.
    public override var hash: Int { recordID.hash }

    /// For logs.
    public override var description: String { "<CKReference: \(recordID), action=\(action)>" }
}

extension CKRecord {
    /// A pointer from one record to another.
    public typealias Reference = CKRecordReference

    /// What the deletion of a reference's target means for the record that holds the reference.
    public enum ReferenceAction: UInt, Sendable {
        /// Nothing; the reference may dangle.
        case none = 0
        /// The holder is deleted too.
        case deleteSelf = 1
    }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The older name of ``CKRecord/ReferenceAction``.
@available(*, deprecated, renamed: "CKRecord.ReferenceAction")
public typealias CKRecord_Reference_Action = CKRecord.ReferenceAction
