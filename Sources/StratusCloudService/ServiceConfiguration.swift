import StratusCloudModel

/// What an operator may set of the service's limits; the defaults are for a cloud of one's own.
public struct ServiceConfiguration: Hashable, Sendable {
    /// How much databases may hold.
    public var quotas: Quotas
    /// How often clients may ask.
    public var rates: RequestRates
    /// Operations in one `records/modify`, and names in one `records/lookup`, of everybody but the operator.
    public var operationsPerRequest: Int

    /// Who may make an account by themselves.
    public var signUp: SignUpPolicy

    /// The same for clients of the native API: as many times more as Apple allows those.
    public var nativeOperationsPerRequest: Int {
        operationsPerRequest * (ModelLimits.nativeOperationsPerRequest / ModelLimits.operationsPerRequest)
    }

    /// Makes a configuration; by default without quotas and rates, and with Apple's number of operations.
    public init(
        quotas: Quotas = Quotas(), rates: RequestRates = RequestRates(),
        operationsPerRequest: Int = ModelLimits.operationsPerRequest, signUp: SignUpPolicy = .closed
    ) {
        self.quotas = quotas
        self.rates = rates
        self.operationsPerRequest = operationsPerRequest
        self.signUp = signUp
    }
}

/// What the service has refused, and found damaged, since it was made, for the metrics page.
public struct ServiceStatistics: Hashable, Sendable {
    /// Requests refused because they came too quickly, by whom they were counted for.
    public var throttled: [ThrottledSubject: UInt64] = [:]
    /// Records refused because a database of this scope was full.
    public var quotaRefusals: [DatabaseScope: UInt64] = [:]
    /// Times that an asset was read and its bytes were not those that were stored.
    public var damagedAssets: UInt64 = 0
}

/// Whom requests are counted for.
public enum ThrottledSubject: String, Hashable, Sendable, CaseIterable {
    case address, token, user
    /// Users, by the people whom they look for.
    case people
}
