import Foundation
import StratusWorkers

/// What is wanted of one zone's changes.
///
/// A class of the top level, because keyed archives cannot name nested ones; use it as
/// ``CKFetchRecordZoneChangesOperation/ZoneConfiguration``.
///
/// `@unchecked Sendable`: what changes is under a lock.
public final class CKFetchRecordZoneChangesConfiguration: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    private struct Values: Sendable {
        var token: CKServerChangeToken?
        var resultsLimit = 0
        var desiredKeys: [CKRecord.FieldKey]?
    }

    private let values: Lock<Values>

    /// What is wanted; by default everything from the beginning.
    public convenience init(
        previousServerChangeToken: CKServerChangeToken? = nil, resultsLimit: Int? = nil,
        desiredKeys: [CKRecord.FieldKey]? = nil
    ) {
        self.init(
            Values(token: previousServerChangeToken, resultsLimit: resultsLimit ?? 0, desiredKeys: desiredKeys))
    }

    private init(_ values: Values) { self.values = Lock(values) }

    /// Where to go on; nil to begin with all records there are.
    public var previousServerChangeToken: CKServerChangeToken? {
        get { values.withLock { $0.token } }
        set { values.withLock { $0.token = newValue } }
    }

    /// Records of one page; 0 leaves it to the server.
    public var resultsLimit: Int {
        get { values.withLock { $0.resultsLimit } }
        set { values.withLock { $0.resultsLimit = newValue } }
    }

    /// Fields wanted; nil for all, an empty list for none.
    public var desiredKeys: [CKRecord.FieldKey]? {
        get { values.withLock { $0.desiredKeys } }
        set { values.withLock { $0.desiredKeys = newValue } }
    }

    /// Archives hold it.
    public static var supportsSecureCoding: Bool { true }

    /// Reads it from an archive.
    public convenience init?(coder: NSCoder) {
        let keys = coder.decoded([NSArray.self, NSString.self], "DesiredKeys") as? NSArray
        self.init(
            previousServerChangeToken: coder.decoded(CKServerChangeToken.self, "Token"),
            resultsLimit: Int(coder.decodeInt64(forKey: "ResultsLimit")),
            desiredKeys: keys?.compactMap { $0 as? String })
    }

    /// Writes it to an archive.
    public func encode(with coder: NSCoder) {
        coder.encode(previousServerChangeToken, forKey: "Token")
        coder.encode(Int64(resultsLimit), forKey: "ResultsLimit")
        coder.encode(desiredKeys.map { NSArray(array: $0.map { $0 as NSString }) }, forKey: "DesiredKeys")
    }

    /// An equal description of its own.
    public func copy(with zone: NSZone? = nil) -> Any {
        CKFetchRecordZoneChangesConfiguration(values.withLock { $0 })
    }
}
