/// A change that waits, by what it is about.
protocol PendingItem: Hashable, Sendable {
    associatedtype Subject: Hashable & Sendable
    /// What it is about: only one change of each waits.
    var subject: Subject { get }
}

extension CKSyncEngine.PendingRecordZoneChange: PendingItem {
    var subject: CKRecord.ID { recordID }
}

extension CKSyncEngine.PendingDatabaseChange: PendingItem {
    var subject: CKRecordZone.ID { zoneID }
}

/// Changes in the order in which their subjects first came; a later change takes the place of an earlier one.
/// Adding, finding and removing take the same time however many there are.
struct PendingList<Change: PendingItem>: Sendable {
    private struct Entry: Sendable {
        var change: Change
        /// Tells when it was added, or added again.
        var number: UInt64
    }

    /// Nil where one was removed.
    private var entries: [Entry?] = []
    private var places: [Change.Subject: Int] = [:]

    var isEmpty: Bool { places.isEmpty }
    var count: Int { places.count }
    var changes: [Change] { entries.compactMap { $0?.change } }

    /// The change of a subject, and when it was added.
    subscript(subject: Change.Subject) -> (change: Change, number: UInt64)? {
        places[subject].flatMap { entries[$0] }.map { ($0.change, $0.number) }
    }

    mutating func put(_ change: Change, number: UInt64 = 0) {
        let entry = Entry(change: change, number: number)
        if let place = places[change.subject] {
            entries[place] = entry
        } else {
            places[change.subject] = entries.count
            entries.append(entry)
        }
    }

    /// Removes whatever waits for a subject; false if nothing did.
    @discardableResult
    mutating func remove(_ subject: Change.Subject) -> Bool {
        guard let place = places.removeValue(forKey: subject) else { return false }
        entries[place] = nil
        if entries.count > 2 * places.count + 32 { compact() }
        return true
    }

    /// Puts changes before all others, except where a later one of the same subject is here.
    mutating func putBack(_ changes: [Change]) {
        let missing = changes.filter { places[$0.subject] == nil }
        guard !missing.isEmpty else { return }
        let rest = entries
        self = PendingList()
        for change in missing { put(change) }
        for case .some(let entry) in rest { put(entry.change, number: entry.number) }
    }

    private mutating func compact() {
        let rest = entries
        entries.removeAll(keepingCapacity: true)
        for case .some(let entry) in rest {
            places[entry.change.subject] = entries.count
            entries.append(entry)
        }
    }
}
