import Foundation
import StratusCompatibility

/// Fires when records of a type that satisfy a predicate are made, changed or deleted.
///
/// `@unchecked Sendable`: predicates never change, and what changes is under the lock of the superclass.
public final class CKQuerySubscription: CKSubscription, @unchecked Sendable {
    /// What it fires on.
    public struct Options: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt

        /// Takes the bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// A record was made.
        public static let firesOnRecordCreation = Options(rawValue: 1)
        /// A record was changed.
        public static let firesOnRecordUpdate = Options(rawValue: 2)
        /// A record was deleted.
        public static let firesOnRecordDeletion = Options(rawValue: 4)
        /// The server deletes the subscription when it has fired.
        public static let firesOnce = Options(rawValue: 8)
        static let fires: Options = [.firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion]
    }

    /// The type that is watched; never nil, though Apple's declaration says it may be.
    public var recordType: CKRecord.RecordType? { watchedType }
    /// The type that is watched.
    let watchedType: CKRecord.RecordType
    /// What the records must satisfy.
    public let predicate: NSPredicate
    /// What it fires on.
    public let querySubscriptionOptions: Options

    /// Watches records of a type. An empty type, a predicate that is code, and options without any event are faults of
    /// the program.
    public convenience init(
        recordType: CKRecord.RecordType, predicate: NSPredicate, subscriptionID: CKSubscription.ID = UUID().uuidString,
        options: Options = [.firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion]
    ) {
        ProgramFault.check(FieldName.isIdentifier(recordType), "'\(recordType)' is no name for a record type.")
        ProgramFault.check(!options.isDisjoint(with: .fires), "A query subscription must fire on something.")
        if case .code = predicate.predicateTree { ProgramFault.stop("A predicate that is a block cannot be sent.") }
        self.init(recordType, predicate, options, subscriptionID, State())
    }

    init(
        _ recordType: CKRecord.RecordType, _ predicate: NSPredicate, _ options: Options,
        _ subscriptionID: CKSubscription.ID, _ state: State
    ) {
        watchedType = recordType
        self.predicate = predicate
        querySubscriptionOptions = options
        super.init(.query, subscriptionID, state)
    }

    /// The zone that is watched; nil for all of the database.
    public var zoneID: CKRecordZone.ID? {
        get { state.withLock { $0.zoneID } }
        set { state.withLock { $0.zoneID = newValue } }
    }

    /// Reads it from an archive; nil if it is not whole.
    public required init?(coder: NSCoder) {
        guard let type = coder.decoded(NSString.self, "QueryRecordType") as String?,
            FieldName.isIdentifier(type), let archived = ArchivedQuery(coder: coder)
        else { return nil }
        watchedType = type
        predicate = archived.predicate
        querySubscriptionOptions = Options(rawValue: UInt(max(0, coder.decodeInt64(forKey: "Options"))))
        super.init(coder: coder)
    }

    /// Writes it to an archive.
    public override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(watchedType as NSString, forKey: "QueryRecordType")
        ArchivedQuery(predicate: predicate).encode(watchedType, with: coder)
        coder.encode(Int64(querySubscriptionOptions.rawValue), forKey: "Options")
    }

    /// An equal subscription of its own.
    public override func copy(with zone: NSZone? = nil) -> Any {
        CKQuerySubscription(watchedType, predicate, querySubscriptionOptions, subscriptionID, state.withLock { $0 })
    }
}
