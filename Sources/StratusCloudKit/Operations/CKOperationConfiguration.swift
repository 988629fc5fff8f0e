import Foundation
import StratusWorkers

/// How an operation runs. What was set counts, even where it was set to the standard value.
///
/// A class of the top level, because keyed archives cannot name nested ones; use it as ``CKOperation/Configuration``.
///
/// `@unchecked Sendable`: what changes is under a lock.
public final class CKOperationConfiguration: NSObject, NSCopying, @unchecked Sendable {
    /// What was set.
    struct Values: Sendable {
        var container: CKContainer?
        var qualityOfService: QualityOfService?
        var allowsCellularAccess: Bool?
        var isLongLived: Bool?
        var timeoutIntervalForRequest: TimeInterval?
        var timeoutIntervalForResource: TimeInterval?

        /// These values, and where there are none those of `other`.
        func over(_ other: Values) -> Values {
            Values(
                container: container ?? other.container, qualityOfService: qualityOfService ?? other.qualityOfService,
                allowsCellularAccess: allowsCellularAccess ?? other.allowsCellularAccess,
                isLongLived: isLongLived ?? other.isLongLived,
                timeoutIntervalForRequest: timeoutIntervalForRequest ?? other.timeoutIntervalForRequest,
                timeoutIntervalForResource: timeoutIntervalForResource ?? other.timeoutIntervalForResource)
        }
    }

    private let state: Lock<Values>

    /// The standard configuration.
    public override convenience init() { self.init(Values()) }

    init(_ values: Values) { state = Lock(values) }

    var values: Values { state.withLock { $0 } }

    /// The container; nil for the default one.
    public var container: CKContainer? {
        get { values.container }
        set { state.withLock { $0.container = newValue } }
    }

    /// How urgent it is; `.utility` and `.background` wait until the network is back.
    public var qualityOfService: QualityOfService {
        get { values.qualityOfService ?? .default }
        set { state.withLock { $0.qualityOfService = newValue } }
    }

    /// Kept for code that sets it; nothing here knows how the network is reached.
    public var allowsCellularAccess: Bool {
        get { values.allowsCellularAccess ?? true }
        set { state.withLock { $0.allowsCellularAccess = newValue } }
    }

    /// Whether it should survive the process.
    public var isLongLived: Bool {
        get { values.isLongLived ?? false }
        set { state.withLock { $0.isLongLived = newValue } }
    }

    /// Seconds for one request.
    public var timeoutIntervalForRequest: TimeInterval {
        get { values.timeoutIntervalForRequest ?? 60 }
        set { state.withLock { $0.timeoutIntervalForRequest = newValue } }
    }

    /// Seconds for all of it.
    public var timeoutIntervalForResource: TimeInterval {
        get { values.timeoutIntervalForResource ?? CallOptions.week }
        set { state.withLock { $0.timeoutIntervalForResource = newValue } }
    }

    /// An equal configuration of its own.
    public func copy(with zone: NSZone? = nil) -> Any { CKOperationConfiguration(values) }
}

extension CKOperationConfiguration.Values {
    /// What the values mean for requests.
    func callOptions(_ standard: QualityOfService) -> CallOptions {
        CallOptions(
            qualityOfService: qualityOfService ?? standard, requestTimeout: timeoutIntervalForRequest ?? 60,
            resourceTimeout: timeoutIntervalForResource)
    }
}

/// The configuration that `configuredWith` gives to all calls in its body.
struct ScopedOptions: Sendable {
    var configuration = CKOperationConfiguration.Values()
    var group: CKOperationGroup?

    func callOptions(_ standard: QualityOfService) -> CallOptions { configuration.callOptions(standard) }

    /// With a configuration and a group over these.
    func with(_ configuration: CKOperationConfiguration?, _ group: CKOperationGroup?) -> ScopedOptions {
        let group = group ?? self.group
        let own = configuration?.values ?? CKOperationConfiguration.Values()
        let defaults = group?.defaultConfigurationValues ?? CKOperationConfiguration.Values()
        return ScopedOptions(configuration: own.over(defaults).over(self.configuration), group: group)
    }
}
