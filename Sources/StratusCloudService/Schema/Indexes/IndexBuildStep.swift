import StratusCloudModel
import StratusCloudStore

/// One step of a build: the entries of some records are made from a snapshot, on a thread of readers, and then written
/// in a transaction, which all saves wait for and which therefore does nothing else.
struct IndexBuildStep: Sendable {
    let type: RecordTypeSchema
    let zone: ZoneNumber
    let pace: IndexBuildPace

    /// What is to be written for a record, as long as it has this version.
    struct PreparedRecord: Sendable {
        let recordName: String
        let version: UInt64
        /// In the indexes that are built.
        let keys: [Key]
        /// In all indexes; nil for records that are in none.
        let presence: [UInt8]?
    }

    struct Outcome: Sendable {
        var records: [PreparedRecord] = []
        /// Of all records together.
        var entries = 0
        /// Where to go on; nil at the end of the zone.
        var next: Key?

        /// How many records the next step takes, if they have as many entries each.
        var room: Int {
            guard !records.isEmpty else { return ServiceLimits.indexedRecordsPerStep }
            let each = max(1, entries / records.count)
            return min(max(1, ServiceLimits.indexEntriesPerStep / each), ServiceLimits.indexedRecordsPerStep)
        }
    }

    /// Makes the entries of the next records.
    /// - Parameter limit: how many are looked at.
    func prepare(from: Key?, limit: Int, in transaction: any ReadTransaction) throws -> Outcome {
        let scan = TypeScan(recordType: type.name, zone: zone)
        let page = try scan.page(from: from, limit: limit, in: transaction)
        let (building, all) = (IndexedFields(type.buildingFields), IndexedFields(type.indexedFields))
        var outcome = Outcome(next: page.next)
        for record in page.records {
            // Long texts after short ones: the rest is for the next step.
            if outcome.entries >= ServiceLimits.indexEntriesPerStep {
                outcome.next = scan.start(at: record.recordName)
                break
            }
            pace.giveWay()
            let prepared = try prepare(record, building, all)
            outcome.entries += prepared.keys.count
            outcome.records.append(prepared)
        }
        return outcome
    }

    /// Writes the entries of the records that are still there.
    func write(_ records: [PreparedRecord], in transaction: any WriteTransaction) throws {
        let names = records.map(\.recordName)
        for (prepared, entry) in zip(records, try transaction.nameEntries(names, in: zone)) {
            guard let version = entry?.version else { continue }
            if version == prepared.version {
                write(prepared, in: transaction)
                continue
            }
            // It was saved since, and a save writes no entry that it did not change.
            guard let record = try transaction.record(named: prepared.recordName, in: zone),
                record.recordType == type.name
            else { continue }
            let (building, all) = (IndexedFields(type.buildingFields), IndexedFields(type.indexedFields))
            write(try prepare(record, building, all), in: transaction)
        }
    }

    private func prepare(
        _ record: StoredRecord, _ building: IndexedFields, _ all: IndexedFields
    ) throws(CloudError) -> PreparedRecord {
        let keys = try IndexMaintenance.contents(of: record, fields: building, zone: zone).keys
        let presence = TypeIndex.presence(of: record, fields: all)
        // Records of users that have no indexed field are in no index.
        let isInNone = presence.isEmpty && type.name == SystemRecordType.users
        return PreparedRecord(
            recordName: record.recordName, version: record.version, keys: keys, presence: isInNone ? nil : presence)
    }

    private func write(_ record: PreparedRecord, in transaction: any WriteTransaction) {
        let hint = IndexHint.value(record.version)
        for key in record.keys { transaction.set(key, hint) }
        guard let presence = record.presence else { return }
        transaction.set(
            TypeIndex.key(zone: zone, type: type.name, name: record.recordName),
            TypeIndex.value(presence, record.version))
    }
}
