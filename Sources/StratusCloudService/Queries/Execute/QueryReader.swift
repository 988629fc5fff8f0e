import StratusCloudModel
import StratusCloudStore

/// A live record that was read. An object, because it is passed on some times.
final class FoundRecord: Sendable {
    let stored: StoredRecord
    /// Bytes in the store.
    let size: Int

    init(_ stored: StoredRecord, size: Int) {
        self.stored = stored
        self.size = size
    }
}

/// A read transaction that counts.
final class QueryReader {
    /// Ranges that an explanation lists.
    private static let explainedRanges = 32

    private let transaction: any ReadTransaction
    private let view: ZoneView?
    private let packsFields: Bool
    private(set) var explanation = QueryExplanation()

    /// How much it should read for one page; the walks hold to it.
    let work: QueryWork

    /// - Parameter packsFields: whether the records' fields stay packed, of which then few should be looked for.
    init(_ transaction: any ReadTransaction, view: ZoneView?, work: QueryWork, packsFields: Bool) {
        self.transaction = transaction
        self.view = view
        self.work = work
        self.packsFields = packsFields
    }

    var keysRead: Int { explanation.keysRead }
    var recordsRead: Int { explanation.recordsRead }

    func explain(_ step: String) {
        if !explanation.plan.contains(step) { explanation.plan.append(step) }
    }

    func entries(in range: KeyRange, limit: Int, reverse: Bool = false) throws -> [StoreEntry] {
        guard limit > 0, !range.isEmpty else { return [] }
        let entries = try transaction.entries(in: range, limit: limit, reverse: reverse)
        explanation.keysRead += entries.count
        if explanation.ranges.count < Self.explainedRanges {
            explanation.ranges.append("\(range.lower.hexadecimal) ..< \(range.upper.hexadecimal): \(entries.count)")
        }
        return entries
    }

    /// The live records that entries tell of; nil where there is none. One read where the hints are right, two more for
    /// all the others together.
    func records(_ entries: [IndexedRecord], zone: ZoneNumber) throws -> [FoundRecord?] {
        explanation.recordsRead += entries.count
        let hints = entries.compactMap(\.hint)
        var hinted =
            try hints.isEmpty
            ? [].makeIterator() : transaction.get(hints.map { Keyspace.version(zone: zone, $0) }).makeIterator()
        var rows: [RecordRow?] = entries.map { entry in
            guard let hint = entry.hint, let bytes = hinted.next() ?? nil else { return nil }
            return RecordRow(version: hint, bytes: bytes)
        }
        let rest = rows.indices.filter { rows[$0] == nil }
        if !rest.isEmpty {
            let found = try transaction.recordRows(rest.map { entries[$0].name }, in: zone)
            for (index, row) in zip(rest, found) { rows[index] = row }
        }
        if let view {
            for (index, isVisible) in try view.isVisible(entries.map(\.name), in: transaction).enumerated()
            where !isVisible {
                rows[index] = nil
            }
        }
        return try zip(entries, rows).map { entry, row in
            guard let row else { return nil }
            let record = try packsFields ? row.packingRecord() : row.record()
            guard record.recordName == entry.name else { throw ByteReader.Malformed() }
            guard let view, view.conceals(record.recordType, share: record.share) else {
                return FoundRecord(record, size: row.bytes.count)
            }
            // Nor can what is above a shared root be found out by asking for it.
            var shown = record
            view.conceal(&shown, record.recordType, share: record.share)
            return FoundRecord(shown, size: row.bytes.count)
        }
    }

    /// Everything read so far, and how many records the answer has.
    func explanation(returning count: Int) -> QueryExplanation {
        var copy = explanation
        copy.recordsReturned = count
        return copy
    }
}

extension Key {
    var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
