import StratusCloudModel
import StratusCloudStore

/// Remembers that a subscription was deleted by a request that has a name, so that the request does nothing to the
/// subscription of the same name that is there when it comes again. Written in the transaction that does the work.
struct SubscriptionReceipt: Sendable {
    private let user: String
    private let key: Key
    private let now: Int64
    /// What stands for the subscription in the receipt of its request.
    private let name: String

    /// - Returns: nil for an operation that is not sent again.
    /// - Throws: `badRequest` for a name that cannot be kept.
    init?(
        of subscriptionID: String, _ requestID: String?, _ place: SubscriptionPlace, at now: Int64
    ) throws(CloudError) {
        guard let requestID else { return nil }
        try ModificationReceipt.check(requestID)
        user = place.user
        self.now = now
        // Those of the shared database lie beside those of the private one.
        name = "\(place.scope.rawValue)/\(subscriptionID)"
        // No zone has this name.
        key = Keyspace.receipt(of: user, requestID, in: "")
    }

    /// Whether it was done.
    func isThere(in transaction: any ReadTransaction) throws -> Bool {
        try transaction.value(ModificationReceipt.self, at: key)?.done[name] != nil
    }

    /// Takes down that it is done, beside what else the request did.
    func write(in transaction: any WriteTransaction) throws {
        var receipt = try transaction.value(ModificationReceipt.self, at: key) ?? ModificationReceipt(made: now)
        receipt.done[name] = .deleted
        try ModificationReceipt.forgetOld(of: user, at: now, in: transaction)
        transaction.set(key, receipt)
    }
}
