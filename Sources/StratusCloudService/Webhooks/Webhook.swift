import StratusCloudModel

/// An address that is told of changes in a public database.
public struct Webhook: Hashable, Sendable {
    /// 32 hexadecimal digits.
    public var id: String
    /// Where messages are posted to.
    public var url: String
    /// The record types whose changes are told.
    public var types: [String]
    /// What is told of them.
    public var events: Set<QuerySubscription.Event>
    /// Whether messages are sent; what happens while they are not is not told later.
    public var isEnabled: Bool
    /// Milliseconds since 1970-01-01 UTC.
    public var created: Int64
    /// Makes the secret, together with the server's key.
    var salt: [UInt8]
}

/// What a webhook has to do, and has done.
public struct WebhookSummary: Hashable, Sendable {
    /// Which one.
    public var webhook: Webhook
    /// Events that wait.
    public var pending: Int
    /// Events that were lost because too many waited.
    public var lost: Int
    /// The latest attempt.
    public var last: WebhookDelivery?
}

/// A change that a webhook is told.
public struct WebhookEvent: Hashable, Sendable {
    /// Counts the events of the webhook from 1 on; a receiver that sees a number again was told twice.
    public var number: UInt64
    /// What happened.
    public var event: QuerySubscription.Event
    /// The record's type.
    public var recordType: String
    /// The record's name.
    public var recordName: String
    /// Its zone.
    public var zoneName: String
    /// The record's new change tag; nil if it is gone.
    public var recordChangeTag: String?
    /// Milliseconds since 1970-01-01 UTC.
    public var time: Int64
    /// Of the request that made the change; nil if it had none.
    public var trace: TraceContext?

    /// An event.
    public init(
        number: UInt64, event: QuerySubscription.Event, recordType: String, recordName: String, zoneName: String,
        recordChangeTag: String?, time: Int64, trace: TraceContext? = nil
    ) {
        self.number = number
        self.event = event
        self.recordType = recordType
        self.recordName = recordName
        self.zoneName = zoneName
        self.recordChangeTag = recordChangeTag
        self.time = time
        self.trace = trace
    }
}

/// Events on their way to a receiver.
public struct WebhookMessage: Sendable {
    /// The same whenever it is tried.
    public var id: String
    /// Where it goes.
    public var url: String
    /// What it is signed with: `whsec_` and the key in Base64, as the receiver has it.
    public var secret: String
    /// Whose public database.
    public var context: CloudContext
    /// In the order in which they happened.
    public var events: [WebhookEvent]
    /// When it is sent, in milliseconds since 1970-01-01 UTC.
    public var time: Int64
    /// The step of a client's trace that sending it is: of the first event that has one.
    public var trace: TraceContext?

    /// A message.
    public init(
        id: String, url: String, secret: String, context: CloudContext, events: [WebhookEvent], time: Int64,
        trace: TraceContext? = nil
    ) {
        self.id = id
        self.url = url
        self.secret = secret
        self.context = context
        self.events = events
        self.time = time
        self.trace = trace
    }
}

/// What a receiver said.
public struct WebhookOutcome: Hashable, Sendable {
    /// What is to be done.
    public enum Verdict: Hashable, Sendable {
        case delivered
        /// Tried again, after so many milliseconds if the receiver says so.
        case retry(after: Int64?)
        /// There is no such receiver any more: the webhook is switched off.
        case gone
    }

    /// What is to be done.
    public var verdict: Verdict
    /// The receiver's status; nil if it was not reached.
    public var status: Int?
    /// Why it failed, for developers; nothing of the answer's body.
    public var error: String?

    /// An outcome.
    public init(_ verdict: Verdict, status: Int? = nil, error: String? = nil) {
        self.verdict = verdict
        self.status = status
        self.error = error
    }
}

/// Takes messages to receivers outside.
public protocol WebhookChannel: Sendable {
    /// Why messages cannot be sent to an address at all; nil if they can.
    func objection(to url: String) -> String?

    /// Sends one message. Called on Swift's threads: must not block.
    func deliver(_ message: WebhookMessage) async -> WebhookOutcome
}

/// An attempt to tell a webhook something.
public struct WebhookDelivery: Hashable, Sendable {
    /// Counts the attempts of the webhook.
    public var number: UInt64
    /// Milliseconds since 1970-01-01 UTC.
    public var time: Int64
    /// The first event of the message, and how many there were.
    public var firstEvent: UInt64
    /// How many events there were.
    public var events: UInt64
    /// Which attempt at the message it was, from 1 on.
    public var attempt: UInt64
    /// The receiver's status; nil if it was not reached.
    public var status: Int?
    /// Milliseconds that it took.
    public var duration: Int64
    /// Why it failed; nil if it did not.
    public var error: String?
    /// When it is tried again, in milliseconds since 1970-01-01 UTC; nil if it is not.
    public var next: Int64?
}
