import StratusCloudModel

/// Takes notifications to devices that do not come for them: a push service outside, such as Apple's or a browser
/// maker's. Devices that poll or stream need none.
///
/// A channel knows nothing of queues: each device's notifications are given to it one after the other, in order; what it
/// could not deliver comes again, also after a restart.
public protocol PushChannel: Sendable {
    /// The addresses it serves.
    var kind: PushAddress.Kind { get }

    /// Sends one message and waits for the service's answer. Called on Swift's threads: must not block.
    func deliver(_ message: PushMessage, to address: PushAddress) async -> PushOutcome
}

/// How a device is reached.
public enum PushAddress: Hashable, Sendable {
    /// It polls or streams; the environment is what its client said and means nothing.
    case courier(APNsEnvironment)
    /// Apple's push service: the device token's bytes.
    case apns(token: [UInt8], APNsEnvironment)
    /// A browser's push service.
    case webPush(WebPushAddress)

    /// Sorts of addresses.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case courier, apns, webPush
    }

    /// Of which sort it is.
    public var kind: Kind {
        switch self {
        case .courier: .courier
        case .apns: .apns
        case .webPush: .webPush
        }
    }
}

/// A notification for one device.
public struct PushMessage: Hashable, Sendable {
    /// What to tell; `CloudWire` writes it as a payload of the size that the service takes.
    public var notification: CloudNotification
    /// Milliseconds since 1970-01-01 UTC after which it is not worth telling.
    public var expires: Int64
    /// The step of a client's trace that sending it is.
    public var trace: TraceContext?

    /// Makes a message.
    public init(notification: CloudNotification, expires: Int64, trace: TraceContext? = nil) {
        self.notification = notification
        self.trace = trace
        self.expires = expires
    }
}

/// What became of a message.
public enum PushOutcome: Hashable, Sendable {
    /// The push service has it.
    case delivered
    /// The push service does not take this message and never will: it is dropped, and the operator is told why.
    case refused(reason: String)
    /// Not now. The same message comes again after so many seconds, or after a time that grows if nil.
    case retry(afterSeconds: Int?)
    /// There is no such device any more: its registration is removed.
    case gone

    /// One word for it.
    var word: String {
        switch self {
        case .delivered: "delivered"
        case .refused: "refused"
        case .retry: "retry"
        case .gone: "gone"
        }
    }
}
