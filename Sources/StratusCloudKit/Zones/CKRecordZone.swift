import Foundation
import StratusWorkers

/// A part of a database: what is saved in a custom zone together is saved whole or not at all, and can be followed.
///
/// `@unchecked Sendable`: the one thing that changes is under a lock.
public final class CKRecordZone: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// What can be done in a zone.
    public struct Capabilities: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt

        /// Takes the bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Its changes can be fetched.
        public static let fetchChanges = Capabilities(rawValue: 1)
        /// Batches can be all or nothing.
        public static let atomic = Capabilities(rawValue: 2)
        /// Records can be shared with what is below them.
        public static let sharing = Capabilities(rawValue: 4)
        /// All of it can be shared.
        public static let zoneWideSharing = Capabilities(rawValue: 8)
    }

    /// What one key encrypts.
    public enum EncryptionScope: Int, Sendable {
        case perRecord = 0
        case perZone = 1
    }

    /// Name and owner.
    public let zoneID: CKRecordZone.ID
    /// What can be done in the zone, as the server says; nothing for a zone that was made here.
    public let capabilities: Capabilities
    /// The share of the whole zone, for a zone that was fetched and has one.
    public let share: CKRecord.Reference?
    private let scope = Lock(EncryptionScope.perRecord)

    /// A zone of the current user.
    public convenience init(zoneName: String) { self.init(zoneID: CKRecordZone.ID(zoneName: zoneName)) }

    /// A zone.
    public convenience init(zoneID: CKRecordZone.ID) { self.init(zoneID: zoneID, capabilities: [], share: nil) }

    init(zoneID: CKRecordZone.ID, capabilities: Capabilities, share: CKRecord.Reference?) {
        self.zoneID = zoneID
        self.capabilities = capabilities
        self.share = share
    }

    /// The zone that every database has.
    public class func `default`() -> CKRecordZone { CKRecordZone(zoneID: .default) }

    /// What one key encrypts; to be set before the zone is saved.
    public var encryptionScope: EncryptionScope {
        get { scope.withLock { $0 } }
        set { scope.withLock { $0 = newValue } }
    }

    /// Archives hold it.
    public static var supportsSecureCoding: Bool { true }

    /// Reads it from an archive; nil if it is not whole.
    public convenience init?(coder: NSCoder) {
        guard let zoneID = coder.decoded(CKRecordZoneID.self, "ZoneID") else { return nil }
        self.init(
            zoneID: zoneID,
            capabilities: Capabilities(rawValue: UInt(max(0, coder.decodeInt64(forKey: "Capabilities")))),
            share: coder.decoded(CKRecordReference.self, "ShareReference"))
        encryptionScope = EncryptionScope(rawValue: Int(coder.decodeInt64(forKey: "EncryptionScope"))) ?? .perRecord
    }

    /// Writes it to an archive.
    public func encode(with coder: NSCoder) {
        coder.encode(zoneID, forKey: "ZoneID")
        coder.encode(Int64(capabilities.rawValue), forKey: "Capabilities")
        coder.encode(share, forKey: "ShareReference")
        coder.encode(Int64(encryptionScope.rawValue), forKey: "EncryptionScope")
    }

    /// An equal zone.
    public func copy(with zone: NSZone? = nil) -> Any {
        let copy = CKRecordZone(zoneID: zoneID, capabilities: capabilities, share: share)
        copy.encryptionScope = encryptionScope
        return copy
    }

    /// For logs.
    public override var description: String {
        "<CKRecordZone: zoneID=\(zoneID), capabilities=\(capabilities.rawValue)>"
    }
}
