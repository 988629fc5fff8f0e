import CloudModel
import CloudStore

/// A read transaction that counts.
final class QueryReader {
    /// Ranges that an explanation lists.
    private static let explainedRanges = 32

    private let transaction: any ReadTransaction
    private(set) var explanation = QueryExplanation()

    /// How much it should read for one page; the walks hold to it.
    let work: QueryWork

    init(_ transaction: any ReadTransaction, work: QueryWork = QueryWork()) {
        self.transaction = transaction
        self.work = work
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

    /// The live records of some names and their stored sizes; nil where there is none.
    func records(_ names: [String], zone: ZoneNumber) throws -> [(record: StoredRecord, size: Int)?] {
        explanation.recordsRead += names.count
        let slots = try transaction.get(names.map { Keyspace.record(zone: zone, name: $0) })
        return try zip(names, slots).map { name, bytes in
            guard let bytes, let record = try RecordSlot(stored: bytes, recordName: name).live else { return nil }
            return (record, bytes.count)
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
