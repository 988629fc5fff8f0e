import StratusCloudModel

/// A reference that matters when its target is deleted.
struct ActingReference: Hashable, Sendable {
    /// What it does. The raw values are stored; never renumber them.
    enum Kind: UInt8, Hashable, Sendable {
        /// The holder is deleted with its target.
        case deleteSelf = 1
        /// The target stays as long as the holder refers to it.
        case validate = 2
        /// Likewise: the target is the holder's parent.
        case parent = 3

        /// Whether the target must be there, and stays as long as it is referred to.
        var holdsTarget: Bool { self != .deleteSelf }
    }

    /// Record name, in the zone of the holder.
    let target: String
    let kind: Kind
}

extension StoredRecord {
    /// Whether the record may have ``actingReferences``; quickly found.
    var hasReferences: Bool {
        parent != nil || fields.hasField(of: .reference)
    }

    /// What the record refers to in a way that matters for the target.
    var actingReferences: Set<ActingReference> {
        var found: Set<ActingReference> = []
        for entry in fields where entry.field.value.scalarType == .reference {
            entry.field.value.forEachReference { reference in
                if let kind = reference.action.actingKind {
                    found.insert(ActingReference(target: reference.recordName, kind: kind))
                }
            }
        }
        if let parent {
            found.insert(ActingReference(target: parent.recordName, kind: .parent))
            if parent.action == .deleteSelf {
                found.insert(ActingReference(target: parent.recordName, kind: .deleteSelf))
            }
        }
        return found
    }

    /// How messages name a reference of this record: by its field.
    func place(of reference: ActingReference) -> String {
        if reference.kind == .parent { return "parent" }
        for entry in fields {
            var isHere = false
            entry.field.value.forEachReference {
                if $0.recordName == reference.target, $0.action.actingKind == reference.kind { isHere = true }
            }
            if isHere { return "field '\(entry.name)'" }
        }
        return "parent"
    }
}

extension FieldValue {
    /// The references that a value holds.
    func forEachReference<Failure: Error>(
        _ body: (Reference) throws(Failure) -> Void
    ) throws(Failure) {
        switch self {
        case .scalar(.reference(let reference)): try body(reference)
        case .scalar: break
        case .list(.reference, let elements):
            for case .reference(let reference) in elements { try body(reference) }
        case .list: break
        }
    }
}

extension Reference.Action {
    fileprivate var actingKind: ActingReference.Kind? {
        switch self {
        case .none: nil
        case .deleteSelf: .deleteSelf
        case .validate: .validate
        }
    }
}
