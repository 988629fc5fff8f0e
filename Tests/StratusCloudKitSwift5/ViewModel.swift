import CloudKit

/// A program's view model on the main actor, as written before strict checking. Compiled, not run.
@MainActor final class ViewModel {
    private(set) var notes: [CKRecord] = []
    private(set) var message = ""
    private let container: CKContainer
    private lazy var database = container.privateCloudDatabase
    private let zone = CKRecordZone(zoneName: "Notes")
    private var observer: Any?

    init(container: CKContainer) { self.container = container }

    func refresh() async throws {
        let result = try await database.records(
            matching: CKQuery(recordType: "Note", predicate: NSPredicate(value: true)), inZoneWith: zone.zoneID)
        notes = result.matchResults.compactMap { _, result in try? result.get() }
    }

    func createZone() async throws {
        guard !UserDefaults.standard.bool(forKey: "isZoneCreated") else { return }
        do {
            let _ = try await database.modifyRecordZones(saving: [zone], deleting: [])
        } catch let error as CKError where error.code == .partialFailure {
            message = error.localizedDescription
        } catch {
            print("ERROR: Failed to create custom zone: \(error.localizedDescription)")
            throw error
        }
        UserDefaults.standard.setValue(true, forKey: "isZoneCreated")
    }

    func load() {
        let operation = CKQueryOperation(query: CKQuery(recordType: "Note", predicate: NSPredicate(value: true)))
        operation.recordMatchedBlock = { [weak self] _, result in
            guard let record = try? result.get() else { return }
            DispatchQueue.main.async { self?.notes.append(record) }
        }
        operation.queryResultBlock = { [weak self] result in
            DispatchQueue.main.async {
                if case .failure(let error) = result { self?.message = error.localizedDescription }
            }
        }
        database.add(operation)
    }

    func save(_ title: String, completion: @escaping (Result<CKRecord, Error>) -> Void) {
        let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(zoneID: zone.zoneID))
        record["title"] = title
        database.save(record) { record, error in
            DispatchQueue.main.async {
                if let error = error { return completion(.failure(error)) }
                completion(.success(record ?? CKRecord(recordType: "Note")))
            }
        }
    }

    func watch() {
        observer = NotificationCenter.default.addObserver(forName: .CKAccountChanged, object: nil, queue: nil) {
            [weak self] _ in
            Task { try await self?.refresh() }
        }
    }
}
