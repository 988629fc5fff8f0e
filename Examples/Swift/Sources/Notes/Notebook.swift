import CloudKit

/// Notes in a file of this device, kept the same as those of the person's other devices.
struct Notebook {
    /// What the file holds: the notes as records, and how far the cloud's changes are known.
    private struct Page {
        var notes: [CKRecord.ID: CKRecord] = [:]
        /// Notes that were written here and not sent yet.
        var unsent: Set<CKRecord.ID> = []
        var token: CKServerChangeToken?
    }

    private let file: URL
    private let database: CKDatabase
    private let zoneID = CKRecordZone.ID(zoneName: "Notes")
    private var page = Page()

    init(file: URL, database: CKDatabase) throws {
        self.file = file
        self.database = database
        guard FileManager.default.fileExists(atPath: file.path) else { return }
        let reader = try NSKeyedUnarchiver(forReadingFrom: Data(contentsOf: file))
        let notes = reader.decodeObject(of: [NSArray.self, CKRecord.self], forKey: "notes") as? [CKRecord] ?? []
        page.notes = Dictionary(uniqueKeysWithValues: notes.map { ($0.recordID, $0) })
        let unsent = reader.decodeObject(of: [NSArray.self, CKRecord.ID.self], forKey: "unsent")
        page.unsent = Set(unsent as? [CKRecord.ID] ?? [])
        page.token = reader.decodeObject(of: CKServerChangeToken.self, forKey: "token")
    }

    var lines: [String] {
        page.notes.values.sorted { $0.recordID.recordName < $1.recordID.recordName }
            .map { "\($0.recordID.recordName): \($0["text"] as? String ?? "")" }
    }

    /// Writes a note, here. It need not be online for that.
    mutating func write(_ name: String, _ text: String) throws {
        let recordID = CKRecord.ID(recordName: name, zoneID: zoneID)
        let note = page.notes[recordID] ?? CKRecord(recordType: "Note", recordID: recordID)
        note["text"] = text
        page.notes[recordID] = note
        page.unsent.insert(recordID)
        try store()
    }

    /// Sends what was written here, then fetches what was written elsewhere.
    mutating func synchronize() async throws {
        try await database.save(CKRecordZone(zoneID: zoneID))
        while !page.unsent.isEmpty { try await send() }
        try await fetch()
        try store()
    }

    private mutating func send() async throws {
        let records = page.unsent.compactMap { page.notes[$0] }
        let results = try await database.modifyRecords(saving: records, deleting: [], atomically: false).saveResults
        for (recordID, result) in results {
            do {
                page.notes[recordID] = try result.get()
                page.unsent.remove(recordID)
            } catch let error as CKError where error.code == .serverRecordChanged {
                // Another device was quicker. Both texts are worth keeping, and the next round sends them.
                guard let theirs = error.serverRecord, let mine = page.notes[recordID] else { throw error }
                theirs["text"] = "\(theirs["text"] as? String ?? "") / \(mine["text"] as? String ?? "")"
                page.notes[recordID] = theirs
            }
        }
    }

    private mutating func fetch() async throws {
        var moreComing = true
        while moreComing {
            let changes:
                (
                    modificationResultsByID: [CKRecord.ID: Result<CKDatabase.RecordZoneChange.Modification, any Error>],
                    deletions: [CKDatabase.RecordZoneChange.Deletion], changeToken: CKServerChangeToken,
                    moreComing: Bool
                )
            do {
                changes = try await database.recordZoneChanges(inZoneWith: zoneID, since: page.token)
            } catch CKError.changeTokenExpired {
                // Too long away: begin anew. All that was written here is sent.
                page = Page()
                continue
            }
            for (recordID, result) in changes.modificationResultsByID { page.notes[recordID] = try result.get().record }
            for deletion in changes.deletions { page.notes[deletion.recordID] = nil }
            page.token = changes.changeToken
            moreComing = changes.moreComing
        }
    }

    private func store() throws {
        let writer = NSKeyedArchiver(requiringSecureCoding: true)
        writer.encode(Array(page.notes.values) as NSArray, forKey: "notes")
        writer.encode(Array(page.unsent) as NSArray, forKey: "unsent")
        writer.encode(page.token, forKey: "token")
        try writer.encodedData.write(to: file, options: .atomic)
    }
}
