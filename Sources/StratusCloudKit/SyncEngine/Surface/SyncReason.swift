extension CKSyncEngine {
    /// Why an engine sends or fetches.
    public enum SyncReason: Hashable, Sendable {
        /// The engine itself thought it was time.
        case scheduled
        /// The app asked for it.
        case manual
    }
}

extension CKSyncEngine.SyncReason: CustomStringConvertible {
    /// The name.
    public var description: String {
        switch self {
        case .scheduled: "scheduled"
        case .manual: "manual"
        }
    }
}
