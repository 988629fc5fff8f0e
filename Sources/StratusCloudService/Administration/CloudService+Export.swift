import StratusCloudModel
import StratusCloudStore

/// A step of an export.
public struct ExportPage: Hashable, Sendable {
    /// In the order of their names' bytes.
    public var records: [Record]
    /// The name to go on after; nil when the zone has no more records. A page may be empty and not the last.
    public var next: String?
}

extension CloudService {
    /// The next records of a zone, read in the order of their names, whatever indexes there are. Each page is a
    /// snapshot of its own.
    ///
    /// - Parameters:
    ///   - recordType: only records of this type; nil takes all but those the system makes, such as `Users`.
    ///   - creator: only records that this user made; nil takes everybody's.
    ///   - recordName: where the previous page ended.
    /// - Throws: `accessDenied` unless the caller is the operator, `zoneNotFound`.
    public func exportRecords(
        of recordType: String?, in scope: DatabaseScope, zoneID: ZoneID, createdBy creator: String? = nil,
        after recordName: String?, as caller: Caller
    ) async throws(CloudError) -> ExportPage {
        guard caller.isAdministrator else { throw CloudError(.accessDenied, "only the operator can export") }
        guard scope != .shared else {
            throw CloudError(.badRequest, "a shared database has no data of its own to export")
        }
        let address = try DatabaseAddress(scope, zoneID, caller)
        let zone = address.zoneID
        var page = try await reading(address.partition) { transaction -> ExportPage? in
            guard let number = try Self.zoneNumber(zone, in: transaction) else { return nil }
            return try Self.exportPage(of: recordType, zone, number, after: recordName, in: transaction)
        }
        if let creator { page?.records.removeAll { $0.created.userRecordName != creator } }
        guard let page else { throw Self.zoneNotFound(zone) }
        return page
    }

    private static func exportPage(
        of recordType: String?, _ zone: ZoneID, _ number: ZoneNumber, after recordName: String?,
        in transaction: any ReadTransaction
    ) throws -> ExportPage {
        let prefix = Keyspace.prefix(.record, zone: number).key
        var range = KeyRange(prefix: prefix)
        if let recordName { range.lower = Keyspace.record(zone: number, name: recordName).next }
        var records: [Record] = []
        var bytes = 0
        for _ in 0..<ServiceLimits.exportStepsPerPage {
            let entries = try transaction.entries(in: range, limit: ServiceLimits.exportEntriesPerStep)
            let names = try entries.map { try NameEntry(stored: $0.value) }
            for case let row? in try transaction.recordRows(of: names, in: number) {
                bytes += row.bytes.count
                let record = try row.record()
                let isMade = [SystemRecordType.users, SystemRecordType.share].contains(record.recordType)
                guard recordType.map({ $0 == record.recordType }) ?? !isMade else { continue }
                records.append(record.record(in: zone))
            }
            guard let last = entries.last, entries.count == ServiceLimits.exportEntriesPerStep else {
                return ExportPage(records: records, next: nil)
            }
            range.lower = last.key.next
            if bytes >= ServiceLimits.exportPageSize { break }
        }
        let next = String(decoding: range.lower.bytes.dropFirst(prefix.bytes.count).dropLast(), as: UTF8.self)
        return ExportPage(records: records, next: next)
    }
}
