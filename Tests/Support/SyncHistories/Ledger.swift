import CloudKit

/// Who wrote and deleted what, from above: what may be gone in the end, and what may not.
struct Ledger {
    private struct Edit {
        let recordID: CKRecord.ID
        let time: Int
        /// Nil while nobody is signed in.
        var owner: Person?
        /// Whether the delegate was shown what it is in conflict with, and the app dropped it.
        var isDropped = false
    }

    private struct Deletion {
        let zoneID: CKRecordZone.ID
        /// Nil for all of the zone.
        let recordID: CKRecord.ID?
        /// Whose it is; nil if nobody was signed in.
        let owner: Person?
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
    mutating func edited(_ recordID: CKRecord.ID, of owner: Person?) -> Int {
        edits.append(Edit(recordID: recordID, time: time, owner: owner))
        return edits.count - 1
    }

    /// What was edited while nobody was signed in is somebody's now.
    mutating func adopted(_ numbers: Set<Int>, by person: Person) {
        for number in numbers where edits.indices.contains(number) && edits[number].owner == nil {
            edits[number].owner = person
        }
    }

    /// - Returns: the number of the deletion.
    mutating func deleting(_ thing: Deletable, of owner: Person?) -> Int {
        switch thing {
        case .record(let recordID):
            deletions.append(Deletion(zoneID: recordID.zoneID, recordID: recordID, owner: owner))
        case .zone(let zoneID): deletions.append(Deletion(zoneID: zoneID, recordID: nil, owner: owner))
        }
        return deletions.count - 1
    }

    /// An attempt has ended now.
    mutating func deletionEnded(_ number: Int) { deletions[number].end = time }
    /// An attempt has ended, now or before.
    mutating func deletionMayHaveEnded(_ number: Int) { deletions[number].end = deletions[number].end ?? time }
    /// A further attempt may come.
    mutating func deletionGoesOn(_ number: Int) { deletions[number].end = nil }

    /// All that were begun may have ended only now.
    mutating func deletionsEnded() { for number in deletions.indices { deletions[number].end = time } }

    mutating func dropped(_ numbers: Set<Int>) {
        for number in numbers where edits.indices.contains(number) { edits[number].isDropped = true }
    }

    /// Looks at what there is in the end.
    mutating func check(_ records: [Person: [CKRecord.ID: Set<Int>]]) {
        for (number, edit) in edits.enumerated() {
            let found = edit.owner.flatMap { records[$0]?[edit.recordID] }
            if found?.contains(number) != true, !isExcused(edit) { report(.lostEdit, tell(number)) }
        }
        for (person, records) in records {
            for (recordID, numbers) in records {
                for number in numbers {
                    guard edits.indices.contains(number), edits[number].recordID == recordID else {
                        report(.unknownEdit, "edit \(number) in \(recordID.recordName)")
                        continue
                    }
                    if edits[number].owner != person { report(.strangersEdit, "\(person) has \(tell(number))") }
                }
            }
        }
    }

    private func isExcused(_ edit: Edit) -> Bool {
        edit.isDropped
            || deletions.contains { deletion in
                deletion.zoneID == edit.recordID.zoneID
                    && (deletion.recordID.map { $0 == edit.recordID } ?? true)
                    && (deletion.owner == nil || edit.owner == nil || deletion.owner == edit.owner)
                    && deletion.end.map { $0 >= edit.time } ?? true
            }
    }

    private func tell(_ number: Int) -> String {
        let edit = edits[number]
        return "edit \(number), \(edit.owner?.rawValue ?? "nobody")'s, of \(edit.recordID.recordName) in "
            + edit.recordID.zoneID.zoneName
    }
}

/// What can be deleted.
enum Deletable: Hashable {
    case record(CKRecord.ID)
    case zone(CKRecordZone.ID)
}

/// A rule that was broken.
struct Violation: Error, Hashable, CustomStringConvertible {
    enum Rule: String, Sendable {
        case lostEdit = "an edit is gone, and nobody was shown why"
        case unknownEdit = "there is an edit that nobody made"
        case strangersEdit = "somebody has what somebody else wrote"
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
