import StratusCloudModel
import StratusCloudStore

/// Who made and changed records elsewhere, as it is restored here.
struct RestoredHistory: Sendable {
    /// Names of users that this container does not have, of records in a private database.
    private let strangers: Set<String>
    /// Whose database it is.
    private let owner: String
    private let now: Int64

    /// Without anything to restore.
    init(now: Int64) {
        (strangers, owner, self.now) = ([], "", now)
    }

    fileprivate init(strangers: Set<String>, owner: String, now: Int64) {
        (self.strangers, self.owner, self.now) = (strangers, owner, now)
    }

    /// A history as it is saved. In a private database its owner stands for users that nobody knows here. Times that
    /// are yet to come, by a clock elsewhere that is ahead, become now.
    func restored(_ history: RecordHistory) -> RecordHistory {
        RecordHistory(created: restored(history.created), modified: restored(history.modified))
    }

    private func restored(_ stamp: RecordStamp) -> RecordStamp {
        var stamp = stamp
        if strangers.contains(stamp.userRecordName) { stamp.userRecordName = owner }
        stamp.timestamp = min(stamp.timestamp, now)
        return stamp
    }
}

extension CloudService {
    /// Looks up whom operations name as those who made and changed their records.
    /// - Throws: `accessDenied` unless it is the operator who wants it.
    func restoredHistory(
        of operations: [PreparedOperation], in scope: DatabaseScope, as caller: Caller
    ) async throws(CloudError) -> RestoredHistory {
        let now = environment.now()
        var names: Set<String> = []
        var isFound = false
        for operation in operations {
            guard let history = operation.input.history?.value else { continue }
            isFound = true
            guard operation.refusal == nil else { continue }
            names.formUnion([history.created.userRecordName, history.modified.userRecordName])
        }
        guard isFound else { return RestoredHistory(now: now) }
        guard caller.isAdministrator, !caller.isBoundByQuotas else {
            throw CloudError(.accessDenied, "only the operator can restore who created and changed a record")
        }
        // What is public keeps the names that it had elsewhere: it belongs to nobody here.
        guard scope == .private, let owner = caller.userRecordName else { return RestoredHistory(now: now) }
        let all = names.sorted()
        let context = caller.context
        let found = try await reading(.directory) { transaction in
            try transaction.get(all.map { DirectoryKey.account(ofUser: $0, in: context) })
        }
        let strangers = zip(all, found).filter { $0.1 == nil }.map(\.0)
        return RestoredHistory(strangers: Set(strangers), owner: owner, now: now)
    }
}

extension RecordHistory {
    /// Whether this can have been.
    /// - Throws: `badRequest` if not.
    func check() throws(CloudError) {
        guard created.timestamp >= 0 else { throw CloudError(.badRequest, "the record was created before 1970") }
        guard created.timestamp <= modified.timestamp else {
            throw CloudError(.badRequest, "the record was changed before it was created")
        }
        for stamp in [created, modified] { try Names.checkRecordName(stamp.userRecordName) }
    }
}
