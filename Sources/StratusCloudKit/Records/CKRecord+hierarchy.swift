import Foundation

extension CKRecord {
    /// The record above this one in a hierarchy that is shared as a whole.
    public var parent: Reference? {
        get { state.withLock { $0.parent } }
        set {
            state.withLock { state in
                state.parent = newValue
                state.isParentChanged = true
            }
        }
    }

    /// Puts this record below another; nil takes it out of its hierarchy.
    public func setParent(_ parentRecord: CKRecord?) { setParent(parentRecord?.recordID) }

    /// Puts this record below another; nil takes it out of its hierarchy.
    public func setParent(_ parentRecordID: ID?) {
        parent = parentRecordID.map { Reference(recordID: $0, action: .none) }
    }
}
