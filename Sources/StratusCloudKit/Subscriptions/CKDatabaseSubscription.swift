import Foundation

/// Fires on every change in the custom zones of a database.
///
/// `@unchecked Sendable`: for the reason of its superclass.
public final class CKDatabaseSubscription: CKSubscription, @unchecked Sendable {
    /// Watches a database under a new name.
    public convenience init() { self.init(subscriptionID: UUID().uuidString) }

    /// Watches a database.
    public init(subscriptionID: CKSubscription.ID) { super.init(.database, subscriptionID, State()) }

    private init(_ subscriptionID: CKSubscription.ID, _ state: State) { super.init(.database, subscriptionID, state) }

    /// The only type of record that it fires on; nil for all.
    public var recordType: CKRecord.RecordType? {
        get { state.withLock { $0.recordType } }
        set { state.withLock { $0.recordType = newValue } }
    }

    /// Reads it from an archive; nil if it is not whole.
    public required init?(coder: NSCoder) { super.init(coder: coder) }

    /// An equal subscription of its own.
    public override func copy(with zone: NSZone? = nil) -> Any {
        CKDatabaseSubscription(subscriptionID, state.withLock { $0 })
    }
}
