import CloudKit
import Testing

#if compiler(>=6.3)
    /// Faults of a program, which raise exceptions on Apple's systems: they end it, and say why. Numbers are those of the
    /// behaviour cases.
    @Suite struct ProgramFaultTests {
        enum Fault: String, CaseIterable, Codable, Sendable, CustomTestStringConvertible {
            case emptyType, dottedType, dottedField, emptyField, unstorableValue, nestedList, encryptedReference
            case queryWithoutType, queryOfBlock, subscriptionWithoutType, subscriptionToBlock, subscriptionToNothing
            case remoteAsset, damagedShare

            var testDescription: String { rawValue }

            /// What it says.
            var message: String {
                switch self {
                case .emptyType, .queryWithoutType, .subscriptionWithoutType: "'' is no name for a record type."
                case .dottedType: "'com.example.Note' is no name for a record type."
                case .dottedField: "'a.b' is no name for a field."
                case .emptyField: "'' is no name for a field."
                case .unstorableValue: "A value of type NSObject cannot be stored in a record, key 'thing'."
                case .nestedList: "cannot be stored in a record, key 'lists'."
                case .encryptedReference: "References and assets cannot be encrypted values, key 'link'."
                case .queryOfBlock, .subscriptionToBlock: "A predicate that is a block cannot be sent."
                case .subscriptionToNothing: "A query subscription must fire on something."
                case .remoteAsset: "An asset needs a file URL."
                case .damagedShare: "The archive holds no share that is whole."
                }
            }

            func commit() throws {
                let record = CKRecord(recordType: "Note")
                let all = NSPredicate(value: true)
                let block = NSPredicate { _, _ in true }
                switch self {
                case .emptyType: _ = CKRecord(recordType: "")
                case .dottedType: _ = CKRecord(recordType: "com.example.Note")
                case .dottedField: record["a.b"] = 1
                case .emptyField: record[""] = 1
                case .unstorableValue: record.setValue(NSObject(), forKey: "thing")
                case .nestedList: record.setValue([[1]], forKey: "lists")
                case .encryptedReference:
                    record.encryptedValues["link"] = CKRecord.Reference(record: record, action: .none)
                case .queryWithoutType: _ = CKQuery(recordType: "", predicate: all)
                case .queryOfBlock: _ = CKQuery(recordType: "Note", predicate: block)
                case .subscriptionWithoutType: _ = CKQuerySubscription(recordType: "", predicate: all)
                case .subscriptionToBlock: _ = CKQuerySubscription(recordType: "Note", predicate: block)
                case .subscriptionToNothing:
                    _ = CKQuerySubscription(recordType: "Note", predicate: all, options: [.firesOnce])
                case .remoteAsset:
                    if let url = URL(string: "https://example.org/a") { _ = CKAsset(fileURL: url) }
                case .damagedShare:
                    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
                    record.encode(with: archiver)
                    _ = CKShare(coder: try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData))
                }
            }
        }

        @Test("23 and its neighbours", arguments: Fault.allCases)
        func endsTheProgram(_ fault: Fault) async throws {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [fault] in
                try fault.commit()
            }
            let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
            #expect(text.contains(fault.message), "\(text.prefix(500))")
        }
    }
#endif

/// Faults that raise exceptions on Apple's systems, and are errors here: what is wrong may have come from elsewhere.
@Suite struct RefusedFaultTests {
    @Test("55: a share, its root and what it refers to are of one zone", arguments: Door.allCases)
    func zones(_ door: Door) async throws {
        let app = try await door.open()
        let (zoneID, otherID) = (try await app.makeZone(), try await app.makeZone("Other"))
        let root = note("root", in: zoneID)
        let share = CKShare(rootRecord: root, shareID: CKRecord.ID(recordName: "share", zoneID: otherID))
        #expect(await codes(of: [root, share], in: app) == [.invalidArguments])
        let child = note("child", in: otherID)
        child.setParent(CKRecord.ID(recordName: "root", zoneID: zoneID))
        #expect(await codes(of: [child], in: app) == [.invalidArguments])
        let referring = note("referring", in: otherID)
        referring["to"] = CKRecord.Reference(recordID: .init(recordName: "root", zoneID: zoneID), action: .none)
        #expect(await codes(of: [referring], in: app) == [.invalidArguments])
        for id in [zoneID, otherID] {
            let stored = try await app.database.recordZoneChanges(inZoneWith: id, since: nil)
            #expect(stored.modificationResultsByID.isEmpty)
        }
    }

    /// What records cannot be saved with; only the codes of those that are at fault.
    private func codes(of records: [CKRecord], in app: App) async -> Set<CKError.Code?> {
        do {
            let results = try await app.database.modifyRecords(saving: records, deleting: []).saveResults
            return Set(results.values.map(\.code)).subtracting([.batchRequestFailed])
        } catch {
            return [(error as? CKError)?.code]
        }
    }
}
