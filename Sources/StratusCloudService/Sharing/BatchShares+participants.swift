import StratusCloudModel
import StratusCloudStore

/// What participants may do with records.
extension BatchShares {
    /// What stands under an operation's name, as far as the caller sees it.
    func seen(_ slot: RecordSlot?, of operation: PreparedOperation) throws -> RecordSlot? {
        guard let access = view.access else { return slot }
        guard case .live? = slot, Authorization.permits(.see, try grant(operation.recordName, access)) else {
            return nil
        }
        return slot
    }

    private func grant(_ name: String, _ access: SharedAccess) throws -> ShareGrant? {
        access.grant(for: try ledger.member(name))
    }

    /// - Parameter stored: what the caller sees under the operation's name.
    /// - Throws: `accessDenied` for what a participant may not do.
    func checkPermission(_ operation: PreparedOperation, _ stored: StoredRecord?) throws {
        guard let access = view.access else { return }
        if let stored {
            let member = try ledger.member(operation.recordName)
            guard Authorization.permits(.change, access.grant(for: member)) else { throw Self.denied("WRITE") }
            guard access.whole == nil, let member else { return }
            guard !operation.kind.isDeletion else {
                if member.isRoot { throw Self.denied("DELETE") }
                return
            }
            try ledger.hierarchy.checkParticipant(operation, stored, isRoot: member.isRoot)
            if !member.isRoot { try checkParent(of: operation, stored, in: member.share, access) }
        } else if operation.kind.canCreate {
            try checkCreation(operation, access)
        }
    }

    /// A save as it is meant: whoever does not see what is above a shared root takes it from nowhere by sending none.
    func meant(_ operation: PreparedOperation, over stored: StoredRecord?) -> PreparedOperation {
        guard let stored, ledger.hierarchy.destination(of: operation) == .below(nil),
            view.hidesParent(stored.recordType, share: stored.share)
        else { return operation }
        return PreparedOperation(
            operation.kind, named: operation.recordName, ledger.hierarchy.keepingAbove(operation, over: stored),
            desiredKeys: operation.desiredKeys,
            shortGUID: operation.shortGUID, refusal: operation.refusal)
    }

    /// A record stays in the share in which the participant found it.
    private func checkParent(
        of operation: PreparedOperation, _ stored: StoredRecord, in share: ShareNumber, _ access: SharedAccess
    ) throws {
        switch ledger.hierarchy.destination(of: operation) {
        case .stays, .detaches: return
        case .below(nil): throw Self.denied("WRITE")
        case .below(let parent?):
            guard parent != ledger.hierarchy.above(stored) else { return }
            guard try self.share(under: parent, access) == share else { throw Self.denied("WRITE") }
        }
    }

    private func checkCreation(_ operation: PreparedOperation, _ access: SharedAccess) throws {
        let isTaken = try transaction.nameEntries([operation.recordName], in: view.number)[0]?.version != nil
        let grant: ShareGrant?
        if let whole = access.whole {
            grant = access.grants[whole]
        } else if case .below(let parent?) = ledger.hierarchy.destination(of: operation) {
            grant = try share(under: parent, access).flatMap { access.grants[$0] }
        } else {
            grant = nil
        }
        guard Authorization.permits(.change, grant), !isTaken else { throw Self.denied("CREATE") }
    }

    /// The share in which a record below another will be, as far as the caller sees it.
    private func share(under parent: String, _ access: SharedAccess) throws -> ShareNumber? {
        var name = parent
        for _ in 0...operations.count {
            let member = try ledger.member(name)
            if let member, Authorization.permits(.see, access.grant(for: member)) { return member.share }
            // It may be one that the same batch makes.
            guard case .below(let above?)? = operations[name].map(ledger.hierarchy.destination) else { return nil }
            name = above
        }
        return nil
    }

    static func denied(_ verb: String) -> CloudError {
        CloudError(.accessDenied, "\(verb) operation not permitted")
    }
}
