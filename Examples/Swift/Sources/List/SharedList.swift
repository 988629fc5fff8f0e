import CloudKit.CKSyncEngine

/// A list that is the same on all devices of a person. The engine says when to send and what was fetched; the list says what
/// changed, and what becomes of two edits of one item.
actor SharedList: CKSyncEngineDelegate {
    private static let zoneID = CKRecordZone.ID(zoneName: "List")
    private let url: URL
    private var file: ListFile
    private var engine: CKSyncEngine?

    init(_ url: URL) throws {
        self.url = url
        file = try ListFile(url)
    }

    /// Begins to synchronize, from where the last run got.
    func start(_ database: CKDatabase) {
        let engine = CKSyncEngine(.init(database: database, stateSerialization: file.state, delegate: self))
        // What was written just before the last run ended, and is not in the state.
        engine.state.add(pendingRecordZoneChanges: file.items.filter(\.value.isUnsent).keys.sorted().map(save))
        self.engine = engine
    }

    var lines: [String] { file.items.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.text)" } }

    // MARK: What the person does

    func put(_ name: String, _ text: String) {
        file.items[name, default: .init(text: text)].text = text
        file.items[name]?.isUnsent = true
        write()
        engine?.state.add(pendingRecordZoneChanges: [save(name)])
    }

    func remove(_ name: String) {
        guard file.items.removeValue(forKey: name) != nil else { return say("there is no \(name)") }
        write()
        engine?.state.add(pendingRecordZoneChanges: [.deleteRecord(recordID(name))])
    }

    // MARK: What the engine asks

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? {
        let changes = syncEngine.state.pendingRecordZoneChanges.filter { context.options.scope.contains($0) }
        return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { await self.record($0) }
    }

    private func record(_ recordID: CKRecord.ID) -> CKRecord? {
        guard let item = file.items[recordID.recordName] else { return nil }
        let record = item.record ?? CKRecord(recordType: "Item", recordID: recordID)
        record["text"] = item.text
        return record
    }

    // MARK: What the engine tells

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        switch event {
        case .stateUpdate(let event): file.state = event.stateSerialization
        case .accountChange(let event): handle(event, syncEngine.state)
        case .fetchedDatabaseChanges(let event):
            if event.deletions.contains(where: { $0.zoneID == Self.zoneID }) {
                file.items = file.items.filter(\.value.isUnsent)
            }
        case .fetchedRecordZoneChanges(let event):
            // Other apps of the container may have zones, too.
            for modification in event.modifications where modification.record.recordID.zoneID == Self.zoneID {
                take(modification.record)
            }
            for deletion in event.deletions where deletion.recordID.zoneID == Self.zoneID { takeDeletion(deletion) }
        case .sentRecordZoneChanges(let event): handle(event, syncEngine.state)
        default: return
        }
        write()
    }

    private func handle(_ event: CKSyncEngine.Event.AccountChange, _ state: CKSyncEngine.State) {
        switch event.changeType {
        case .signIn:
            state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: Self.zoneID))])
        case .signOut, .switchAccounts: file.items = [:]
        }
    }

    private func handle(_ event: CKSyncEngine.Event.SentRecordZoneChanges, _ state: CKSyncEngine.State) {
        for record in event.savedRecords {
            let name = record.recordID.recordName
            file.items[name]?.keep(record)
            say("→ \(name): \(record["text"] as? String ?? "")")
            if file.items[name]?.text == record["text"] as? String { file.items[name]?.isUnsent = false }
        }
        for recordID in event.deletedRecordIDs { say("→ \(recordID.recordName) is done") }
        for failure in event.failedRecordSaves {
            let recordID = failure.record.recordID
            switch failure.error.code {
            case .serverRecordChanged: if let record = failure.error.serverRecord { take(record) }
            case .unknownItem: file.items[recordID.recordName]?.systemFields = nil
            case .zoneNotFound, .userDeletedZone:
                file.items[recordID.recordName]?.systemFields = nil
                state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: Self.zoneID))])
            case .batchRequestFailed: break
            // The engine tries again where that helps.
            default: continue
            }
            state.add(pendingRecordZoneChanges: [.saveRecord(recordID)])
        }
    }

    /// An item as the cloud has it. If it was changed here as well, both texts are kept, and sent.
    private func take(_ record: CKRecord) {
        let name = record.recordID.recordName
        let theirs = record["text"] as? String ?? ""
        var item = file.items[name] ?? .init(text: theirs, isUnsent: false)
        let isNews = item.record?.recordChangeTag != record.recordChangeTag
        item.keep(record)
        if !item.isUnsent {
            item.text = theirs
            if isNews { say("← \(name): \(theirs)") }
        } else if isNews, item.text != theirs {
            say("conflict: \(name) is “\(item.text)” here and “\(theirs)” there")
            item.text = "\(theirs) / \(item.text)"
            say("resolved: \(name): \(item.text)")
        }
        file.items[name] = item
    }

    private func takeDeletion(_ deletion: CKDatabase.RecordZoneChange.Deletion) {
        let name = deletion.recordID.recordName
        // What was written here meanwhile is worth more.
        guard file.items[name]?.isUnsent == false else { return }
        file.items[name] = nil
        say("← \(name) is done")
    }

    // MARK: -

    private func recordID(_ name: String) -> CKRecord.ID { CKRecord.ID(recordName: name, zoneID: Self.zoneID) }
    private func save(_ name: String) -> CKSyncEngine.PendingRecordZoneChange { .saveRecord(recordID(name)) }

    private func write() {
        do { try file.write(to: url) } catch { say("the list cannot be stored: \(error)") }
    }
}

/// Says something at once, also where the output is no terminal.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
