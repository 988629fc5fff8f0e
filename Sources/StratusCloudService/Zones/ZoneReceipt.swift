import StratusCloudModel
import StratusCloudStore

/// Remembers that a zone was made or deleted by a request that has a name, so that the request does nothing to the zone of
/// the same name that is there when it comes again. Written in the transaction that does the work.
struct ZoneReceipt {
    /// What stands for the zone in a receipt. No record has this name.
    private static let zoneItself = ""

    private let user: String
    private let key: Key
    private let now: Int64

    /// - Returns: nil for an operation that is not sent again.
    /// - Throws: `badRequest` for a name that cannot be kept.
    init?(_ operation: ZoneOperation, _ caller: Caller, at now: Int64) throws(CloudError) {
        guard let requestID = operation.requestID else { return nil }
        try ModificationReceipt.check(requestID)
        guard let user = caller.userRecordName else { return nil }
        self.user = user
        self.now = now
        key = Keyspace.receipt(of: user, requestID, in: operation.zoneID.zoneName)
    }

    /// Whether it was done.
    func isThere(in transaction: any ReadTransaction) throws -> Bool {
        try transaction.value(ModificationReceipt.self, at: key)?.done[Self.zoneItself] != nil
    }

    /// Takes down that it is done.
    func write(in transaction: any WriteTransaction) throws {
        var receipt = ModificationReceipt(made: now)
        receipt.done[Self.zoneItself] = .deleted
        try ModificationReceipt.forgetOld(of: user, at: now, in: transaction)
        transaction.set(key, receipt)
    }
}
