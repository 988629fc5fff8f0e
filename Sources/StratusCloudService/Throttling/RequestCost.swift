import StratusCloudModel

/// What a request costs beside being one, in units of some fifth of a millisecond of processor time at most: what an
/// ordinary request costs altogether.
public struct RequestCost: Hashable, Sendable {
    /// Records read for an answer.
    public var records: Int
    /// Operations that change something.
    public var operations: Int
    /// Bytes of the body, or of the answer.
    public var bytes: Int

    /// Records that cost a unit.
    public static let recordsPerUnit = 20
    /// Operations that cost a unit.
    public static let operationsPerUnit = 4
    /// Bytes that cost a unit.
    public static let bytesPerUnit = 131_072

    /// Makes a cost.
    public init(records: Int = 0, operations: Int = 0, bytes: Int = 0) {
        self.records = records
        self.operations = operations
        self.bytes = bytes
    }

    /// What is less than a unit is free.
    var units: Int {
        records / Self.recordsPerUnit + operations / Self.operationsPerUnit + bytes / Self.bytesPerUnit
    }

    /// Both.
    public static func + (one: RequestCost, other: RequestCost) -> RequestCost {
        RequestCost(
            records: one.records + other.records, operations: one.operations + other.operations,
            bytes: one.bytes + other.bytes)
    }
}

extension CloudService {
    /// Lets a caller's request begin, and charges what is known of its cost. Called when its turn has come.
    ///
    /// A caller who owes nothing may do what costs more than there is, and owes the rest: so no request is too large for
    /// ever.
    /// - Throws: `throttled` for whoever still owes for earlier requests.
    public func admit(_ cost: RequestCost, of caller: Caller) throws(CloudError) {
        if caller.payers.isEmpty { return }
        try throttle.admit(cost.units, of: caller.payers, at: environment.now())
    }

    /// Charges what became known of a request's cost later.
    public func charge(_ cost: RequestCost, to caller: Caller) {
        guard !caller.payers.isEmpty, cost.units > 0 else { return }
        throttle.charge(cost.units, to: caller.payers, at: environment.now())
    }
}
