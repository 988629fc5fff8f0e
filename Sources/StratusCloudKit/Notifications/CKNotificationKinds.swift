import Foundation

/// A query subscription fired.
///
/// `@unchecked Sendable`: for the reason of its superclass.
public final class CKQueryNotification: CKNotification, @unchecked Sendable {
    /// What happened to the record.
    public enum Reason: Int, Sendable {
        case recordCreated = 1
        case recordUpdated = 2
        case recordDeleted = 3
    }

    /// What happened to the record.
    public var queryNotificationReason: Reason {
        // A payload from which it was pruned says that something is new.
        payload.subject.reason.flatMap { Reason(rawValue: $0) } ?? .recordUpdated
    }

    /// The values that the subscription wanted to travel along.
    public var recordFields: [String: Any]? { payload.fields }

    /// The record; nil if it was pruned.
    public var recordID: CKRecord.ID? {
        payload.subject.recordName.map { CKRecord.ID(recordName: $0, zoneID: payload.zoneID ?? .default) }
    }

    /// The database that the record is in.
    public var databaseScope: CKDatabase.Scope { payload.subject.scope }
}

/// A zone subscription fired.
///
/// `@unchecked Sendable`: for the reason of its superclass.
public final class CKRecordZoneNotification: CKNotification, @unchecked Sendable {
    /// The zone; nil if it was pruned.
    public var recordZoneID: CKRecordZone.ID? { payload.zoneID }
    /// The database that the zone is in.
    public var databaseScope: CKDatabase.Scope { payload.subject.scope }
}

/// A database subscription fired.
///
/// `@unchecked Sendable`: for the reason of its superclass.
public final class CKDatabaseNotification: CKNotification, @unchecked Sendable {
    /// The database that changed.
    public var databaseScope: CKDatabase.Scope { payload.subject.scope }
}

/// Names a notification. Opaque.
///
/// A class of the top level, because keyed archives cannot name nested ones; use it as ``CKNotification/ID``.
public final class CKNotificationID: NSObject, NSSecureCoding, NSCopying, Sendable {
    private let text: String

    init(_ text: String) { self.text = text }

    /// Archives hold it.
    public static var supportsSecureCoding: Bool { true }

    /// Reads it from an archive; nil if it is not whole.
    public init?(coder: NSCoder) {
        guard let text = coder.decoded(NSString.self, "NotificationID") else { return nil }
        self.text = text as String
    }

    /// Writes it to an archive.
    public func encode(with coder: NSCoder) { coder.encode(text as NSString, forKey: "NotificationID") }
    /// The same object: it never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }
    /// Whether it names the same notification.
    public override func isEqual(_ object: Any?) -> Bool { (object as? CKNotificationID)?.text == text }
    /// Of the name.
    public override var hash: Int { text.hashValue }
    /// For logs.
    public override var description: String { "<CKNotificationID: \(text)>" }
}
