import Dispatch
import Foundation
import StratusCloudKit
import StratusCoreData
import StratusWorkers

/// The ways in which a schema is initialized.
public struct NSPersistentCloudKitContainerSchemaInitializationOptions: OptionSet, Sendable {
    /// The bits, with Apple's numbers.
    public let rawValue: UInt

    /// Takes bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Only makes the records, and sends nothing.
    public static let dryRun = Self(rawValue: 1 << 1)
    /// Writes record types and fields to the standard error.
    public static let printSchema = Self(rawValue: 1 << 2)
}

/// Makes the server of a development environment learn the record types of a model.
struct SchemaInitialization: Sendable {
    private static let zoneName = "com.apple.coredata.cloudkit.schema"

    let plan: MirrorPlan
    let options: NSPersistentCloudKitContainerSchemaInitializationOptions

    /// Saves a record of each type and deletes it again. Blocks until both are done.
    func run() throws {
        let staging = AssetStaging(
            FileManager.default.temporaryDirectory.appendingPathComponent("stratus-schema-\(UUID().uuidString)"))
        let zoneID = CKRecordZone.ID(
            zoneName: plan.scope == .public ? CKRecordZone.ID.defaultZoneName : Self.zoneName)
        let records = try RepresentativeRecords(model: plan.model, zoneID: zoneID, staging: staging).make()
        if options.contains(.printSchema) { FileHandle.standardError.write(Data(Self.text(of: records).utf8)) }
        guard !options.contains(.dryRun) else { return }
        try Self.waiting { try await send(records, zoneID) }
        withExtendedLifetime(staging) {}
    }

    private func send(_ records: [CKRecord], _ zoneID: CKRecordZone.ID) async throws {
        let database =
            plan.scope == .public ? plan.container.publicCloudDatabase : plan.container.privateCloudDatabase
        if plan.scope == .public {
            let saved = try await database.modifyRecords(saving: records, deleting: [], atomically: false)
            let ids = saved.saveResults.filter { (try? $0.value.get()) != nil }.map(\.key)
            _ = try await database.modifyRecords(saving: [], deleting: ids, atomically: false)
            return try Self.check(saved.saveResults)
        }
        _ = try await database.save(CKRecordZone(zoneID: zoneID))
        let saved: Result<[CKRecord.ID: Result<CKRecord, any Error>], any Error>
        do {
            saved = .success(try await database.modifyRecords(saving: records, deleting: []).saveResults)
        } catch {
            saved = .failure(error)
        }
        // The records go with their zone, whatever became of them.
        _ = try await database.deleteRecordZone(withID: zoneID)
        try Self.check(try saved.get())
    }

    private static func check(_ results: [CKRecord.ID: Result<CKRecord, any Error>]) throws {
        let failures = results.compactMap { recordID, result -> RecordFailure? in
            guard case .failure(let error) = result else { return nil }
            return RecordFailure(recordID: recordID, object: nil, error: error)
        }
        if let error = MirroringError.ofRecords(failures) { throw error }
    }

    private static func waiting(_ body: @escaping @Sendable () async throws -> Void) throws {
        let end = DispatchSemaphore(value: 0)
        let outcome = Lock<Result<Void, any Error>>(.success(()))
        Task.detached {
            do {
                try await body()
            } catch {
                outcome.withLock { $0 = .failure(error) }
            }
            end.signal()
        }
        end.wait()
        try outcome.withLock { $0 }.get()
    }

    /// Returns the record types with their fields, a line each.
    private static func text(of records: [CKRecord]) -> String {
        records.map { record in
            let plain = record.allKeys().sorted()
            let encrypted = record.encryptedValues.allKeys().sorted().map { $0 + " ENCRYPTED" }
            return "RECORD TYPE \(record.recordType)\n" + (plain + encrypted).map { "    \($0)\n" }.joined()
        }.joined()
    }
}
