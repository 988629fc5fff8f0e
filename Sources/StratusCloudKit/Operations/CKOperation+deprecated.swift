import Foundation

// What operations had before configurations.
extension CKOperation {
    /// The container of the configuration.
    @available(*, deprecated, message: "Use configuration")
    public var container: CKContainer? {
        get { configuration.container }
        set { configuration.container = newValue }
    }

    /// Whether the configuration allows mobile networks.
    @available(*, deprecated, message: "Use configuration")
    public var allowsCellularAccess: Bool {
        get { configuration.allowsCellularAccess }
        set { configuration.allowsCellularAccess = newValue }
    }

    /// Whether it should survive the process.
    @available(*, deprecated, message: "Use configuration")
    public var isLongLived: Bool {
        get { configuration.isLongLived }
        set { configuration.isLongLived = newValue }
    }

    /// Seconds for one request.
    @available(*, deprecated, message: "Use configuration")
    public var timeoutIntervalForRequest: TimeInterval {
        get { configuration.timeoutIntervalForRequest }
        set { configuration.timeoutIntervalForRequest = newValue }
    }

    /// Seconds for all of it.
    @available(*, deprecated, message: "Use configuration")
    public var timeoutIntervalForResource: TimeInterval {
        get { configuration.timeoutIntervalForResource }
        set { configuration.timeoutIntervalForResource = newValue }
    }
}
