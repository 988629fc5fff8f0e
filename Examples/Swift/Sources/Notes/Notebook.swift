import CloudKit

/// Notes in a file of this device, kept the same as those of the person's other devices, and of people who share them.
struct Notebook {
    /// What the file holds: the notes as records, and how far the cloud's changes are known.
    private struct Page {
        var notes: [CKRecord.ID: CKRecord] = [:]
        /// Notes that were written here and not sent yet.
        var unsent: Set<CKRecord.ID> = []
        var token: CKServerChangeToken?
        /// Whose notebook it is: one's own, or that of somebody who shares it.
        var zoneID = CKRecordZone.ID(zoneName: "Notes")
    }

    private let file: URL
    private let container: CKContainer
    private var page = Page()

    private var zoneID: CKRecordZone.ID { page.zoneID }
    private var isOwn: Bool { zoneID.ownerName == CKCurrentUserDefaultName }
    private var database: CKDatabase { isOwn ? container.privateCloudDatabase : container.sharedCloudDatabase }

    init(file: URL, container: CKContainer) throws {
        self.file = file
        self.container = container
        guard FileManager.default.fileExists(atPath: file.path) else { return }
        let reader = try NSKeyedUnarchiver(forReadingFrom: Data(contentsOf: file))
        let notes = reader.decodeObject(of: [NSArray.self, CKRecord.self], forKey: "notes") as? [CKRecord] ?? []
        page.notes = Dictionary(uniqueKeysWithValues: notes.map { ($0.recordID, $0) })
        let unsent = reader.decodeObject(of: [NSArray.self, CKRecord.ID.self], forKey: "unsent")
        page.unsent = Set(unsent as? [CKRecord.ID] ?? [])
        page.token = reader.decodeObject(of: CKServerChangeToken.self, forKey: "token")
        page.zoneID = reader.decodeObject(of: CKRecordZone.ID.self, forKey: "zone") ?? page.zoneID
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
        if isOwn { try await database.save(CKRecordZone(zoneID: zoneID)) }
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
            } catch let error as CKError where error.code == .permissionFailure {
                // Whoever shares the notebook lets this person only read: what stands there is what counts.
                print("\(recordID.recordName) may only be read")
                page.unsent.remove(recordID)
                page.notes[recordID] = try await stored(recordID)
            }
        }
    }

    private func stored(_ recordID: CKRecord.ID) async throws -> CKRecord? {
        do {
            return try await database.record(for: recordID)
        } catch CKError.unknownItem {
            return nil
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
                page = Page(zoneID: zoneID)
                continue
            }
            for (recordID, result) in changes.modificationResultsByID {
                let record = try result.get().record
                // What says who shares the notebook is in it, too.
                if record.recordType == "Note" { page.notes[recordID] = record }
            }
            for deletion in changes.deletions { page.notes[deletion.recordID] = nil }
            page.token = changes.changeToken
            moreComing = changes.moreComing
        }
    }

    // MARK: - With others

    /// Invites somebody to the whole notebook.
    /// - Returns: the link that lets them in.
    func invite(_ email: String, _ permission: CKShare.ParticipantPermission) async throws -> URL? {
        let share = try await share()
        let participant = try await container.shareParticipant(forEmailAddress: email)
        participant.permission = permission
        share.addParticipant(participant)
        return try await saved(share).url
    }

    /// Says what everybody may do who has the link.
    func open(_ permission: CKShare.ParticipantPermission) async throws -> URL? {
        let share = try await share()
        share.publicPermission = permission
        return try await saved(share).url
    }

    private func share() async throws -> CKShare {
        try await container.privateCloudDatabase.save(CKRecordZone(zoneID: zoneID))
        let shareID = CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: zoneID)
        if let share = try await stored(shareID) as? CKShare { return share }
        let share = CKShare(recordZoneID: zoneID)
        share[CKShare.SystemFieldKey.title] = "Notes"
        return share
    }

    private func saved(_ share: CKShare) async throws -> CKShare {
        try await database.save(share) as? CKShare ?? share
    }

    /// Makes this the notebook of somebody who shares it.
    mutating func join(_ link: URL) async throws {
        let share = try await container.accept(try await container.shareMetadata(for: link))
        page = Page(zoneID: share.recordID.zoneID)
        try await fetch()
        try store()
    }

    private func store() throws {
        let writer = NSKeyedArchiver(requiringSecureCoding: true)
        writer.encode(Array(page.notes.values) as NSArray, forKey: "notes")
        writer.encode(Array(page.unsent) as NSArray, forKey: "unsent")
        writer.encode(page.token, forKey: "token")
        writer.encode(page.zoneID, forKey: "zone")
        try writer.encodedData.write(to: file, options: .atomic)
    }
}
