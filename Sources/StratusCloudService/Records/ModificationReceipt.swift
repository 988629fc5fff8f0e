import StratusCloudModel
import StratusCloudStore

/// What a request that has a name came to, so that sending it again does nothing twice. Written in the transaction that
/// does the work; lies with the database of the work, under the caller's name.
struct ModificationReceipt: StoredValue {
    static let format: UInt8 = 1

    /// What an operation did. One that was refused did nothing, and may be tried again.
    enum Done: Hashable, Sendable {
        case deleted
        /// The record as it was saved, without its fields.
        case saved(StoredRecord)
    }

    /// Milliseconds since 1970-01-01 UTC.
    var made: Int64
    /// By record name.
    var done: [String: Done] = [:]

    init(made: Int64) { self.made = made }

    init(from reader: inout ByteReader) throws {
        made = try reader.signed()
        for _ in 0..<(try reader.unsigned()) {
            let name = try reader.string()
            let version = try reader.unsigned()
            guard version > 0 else {
                done[name] = .deleted
                continue
            }
            done[name] = .saved(try StoredRecord(stored: Array(try reader.slice()), version: version))
        }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(signed: made)
        writer.write(unsigned: UInt64(done.count))
        for (name, what) in done.sorted(by: { $0.key < $1.key }) {
            writer.write(name)
            switch what {
            case .deleted: writer.write(unsigned: 0)
            case .saved(let record):
                writer.write(unsigned: record.version)
                writer.write(bytes: record.stored)
            }
        }
    }

    /// Takes down what became of an operation.
    mutating func note(_ result: RecordResult) {
        switch result {
        case .failed: break
        case .deleted(let name, _): done[name] = .deleted
        case .saved(let record):
            guard let version = UInt64(record.recordChangeTag, radix: 36) else { return }
            done[record.recordName] = .saved(
                StoredRecord(
                    recordName: record.recordName, recordType: record.recordType, version: version, fields: FieldMap(),
                    created: record.created, modified: record.modified, parent: record.parent, share: record.share,
                    shortGUID: record.shortGUID))
        }
    }

    func result(of name: String, in zoneID: ZoneID) -> RecordResult? {
        switch done[name] {
        case nil: nil
        case .deleted: .deleted(recordName: name, zoneID: zoneID)
        case .saved(let record): .saved(record.record(in: zoneID))
        }
    }
}

extension RecordModification {
    /// Does what was not done before under the same name, and takes it down.
    /// - Parameter requestID: nil for a request that is not sent again.
    /// - Throws: as ``run(in:)``.
    func run(named requestID: String?, in transaction: any WriteTransaction) throws -> Outcome {
        // Whoever lost their part in a zone is not told of it again, either.
        guard let requestID, let user = caller.userRecordName, try isVisible(in: transaction) else {
            return try run(in: transaction)
        }
        let key = Keyspace.receipt(of: user, requestID, in: zoneID.zoneName)
        var receipt = try transaction.value(ModificationReceipt.self, at: key) ?? ModificationReceipt(made: now)
        let known = receipt.done.count
        let open = operations.indices.filter { receipt.done[operations[$0].recordName] == nil }
        var outcome = Outcome(results: [])
        var results = operations.map { receipt.result(of: $0.recordName, in: zoneID) }
        if !open.isEmpty {
            var rest = self
            rest.operations = open.map { operations[$0] }
            if !drafts.isEmpty { rest.drafts = open.map { drafts[$0] } }
            outcome = try rest.run(in: transaction)
            for (index, result) in zip(open, outcome.results) {
                results[index] = result
                receipt.note(result)
            }
        }
        outcome.results = results.compactMap { $0 }
        if receipt.done.count != known {
            try ModificationReceipt.forgetOld(of: user, at: now, in: transaction)
            transaction.set(key, receipt)
        }
        return outcome
    }
}

extension ModificationReceipt {
    /// Forgets some of a user's receipts that nobody comes for any more.
    static func forgetOld(of user: String, at now: Int64, in transaction: any WriteTransaction) throws {
        let range = Keyspace.receipts(of: user)
        for entry in try transaction.entries(in: range, limit: ServiceLimits.receiptsPerStep) {
            let made = try ModificationReceipt(stored: entry.value).made
            if made < now - ServiceLimits.receiptLifetime { transaction.clear(entry.key) }
        }
    }

    /// Whether a request can be recognized by a name when it comes again.
    static func check(_ requestID: String) throws(CloudError) {
        guard (1...ModelLimits.requestIDLength).contains(requestID.utf8.count),
            requestID.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else {
            throw CloudError(
                .badRequest,
                "'requestID' must have 1 to \(ModelLimits.requestIDLength) ASCII characters without spaces")
        }
    }
}

extension ModifyRecordsRequest {
    /// Whether the request can be recognized when it comes again.
    func checkID() throws(CloudError) {
        guard let requestID else { return }
        try ModificationReceipt.check(requestID)
        guard operations.allSatisfy({ $0.record.recordName != nil }) else {
            throw CloudError(.badRequest, "a request with a 'requestID' must name the records that it creates")
        }
    }
}
