import CloudKit

/// Who wrote and deleted what, from above: what may be gone in the end, and what may not.
struct Ledger {
    private struct Edit {
        let recordID: CKRecord.ID
        let time: Int
        /// Whether the delegate was shown what it is in conflict with, and the app dropped it.
        var isDropped = false
    }

    private struct Deletion {
        let zoneID: CKRecordZone.ID
        /// Nil for all of the zone.
        let recordID: CKRecord.ID?
        /// When the last attempt had ended; nil while one may come.
        var end: Int?
    }

    private var edits: [Edit] = []
    private var deletions: [Deletion] = []
    private var time = 0
    /// The first rule that was broken.
    private(set) var violation: Violation?

    mutating func tick() { time += 1 }

    mutating func report(_ rule: Violation.Rule, _ what: String) {
        if violation == nil { violation = Violation(rule: rule, what: what) }
    }

    /// - Returns: the number of the edit.
    mutating func edited(_ recordID: CKRecord.ID) -> Int {
        edits.append(Edit(recordID: recordID, time: time))
        return edits.count - 1
    }

    /// - Returns: the number of the deletion.
    mutating func deleting(_ recordID: CKRecord.ID) -> Int { deleting(recordID.zoneID, recordID) }
    mutating func deleting(_ zoneID: CKRecordZone.ID) -> Int { deleting(zoneID, nil) }

    private mutating func deleting(_ zoneID: CKRecordZone.ID, _ recordID: CKRecord.ID?) -> Int {
        deletions.append(Deletion(zoneID: zoneID, recordID: recordID))
        return deletions.count - 1
    }

    /// An attempt has ended now.
    mutating func deletionEnded(_ number: Int) { deletions[number].end = time }
    /// An attempt has ended, now or before.
    mutating func deletionMayHaveEnded(_ number: Int) { deletions[number].end = deletions[number].end ?? time }
    /// A further attempt may come.
    mutating func deletionGoesOn(_ number: Int) { deletions[number].end = nil }

    mutating func dropped(_ numbers: Set<Int>) {
        for number in numbers where edits.indices.contains(number) { edits[number].isDropped = true }
    }

    /// Looks at what there is in the end.
    mutating func check(_ records: [CKRecord.ID: Set<Int>]) {
        for (number, edit) in edits.enumerated() where records[edit.recordID]?.contains(number) != true {
            let isExcused =
                edit.isDropped
                || deletions.contains { deletion in
                    deletion.zoneID == edit.recordID.zoneID
                        && (deletion.recordID.map { $0 == edit.recordID } ?? true)
                        && deletion.end.map { $0 >= edit.time } ?? true
                }
            if !isExcused {
                report(.lostEdit, "edit \(number) of \(edit.recordID.recordName) in \(edit.recordID.zoneID.zoneName)")
            }
        }
        for (recordID, numbers) in records {
            for number in numbers where !edits.indices.contains(number) || edits[number].recordID != recordID {
                report(.unknownEdit, "edit \(number) in \(recordID.recordName)")
            }
        }
    }
}

/// A rule that was broken.
struct Violation: Error, Hashable, CustomStringConvertible {
    enum Rule: String, Sendable {
        case lostEdit = "an edit is gone, and nobody was shown why"
        case unknownEdit = "there is an edit that nobody made"
        case difference = "a device and the server hold different things"
        case restlessness = "devices do not come to rest"
        case requestsAtRest = "a device that is at rest makes more requests than it needs"
        case forgottenChange = "a change is unsent, and the engine does not know"
        case changedState = "a kept state is not what it was"
        case order = "events come in an impossible order"
        case error = "an error that nothing explains"
    }

    let rule: Rule
    let what: String
    var description: String { "\(rule.rawValue): \(what)" }
}
