import StratusCloudModel

/// Who makes a call. Every call of the service takes one first; there is no call without.
public struct Caller: Hashable, Sendable {
    /// What kind of credential stands behind the call.
    public enum Principal: Hashable, Sendable {
        /// An API token alone: anybody.
        case anonymous
        /// A signed-in person, by user record name.
        case user(String)
        /// A server with a key; it acts under a user record name of its own, in the public database only.
        case serverToServer(String)
        /// The operator of this cloud, for the command line; acts under a user record name when it stands in for one.
        case administrator(actingAs: String?)
    }

    /// What a credential proves, the same for all of its requests.
    private struct Identity: Hashable, Sendable {
        let context: CloudContext
        let principal: Principal
        var session: [UInt8]?
        var apiToken: [UInt8]?
        var isBoundByQuotas = false
    }

    private var identity: CopyOnWrite<Identity>

    /// The container and environment that the credential belongs to.
    public var context: CloudContext { _read { yield identity.value.context } }
    /// What kind of credential stands behind the call.
    public var principal: Principal { _read { yield identity.value.principal } }
    /// The hash of the session that the caller's web auth token is of; nil for callers without one.
    var session: [UInt8]? {
        _read { yield identity.value.session }
        _modify { yield &identity.value.session }
    }
    /// The hash of the API token that the request came with, where it came with one.
    var apiToken: [UInt8]? {
        _read { yield identity.value.apiToken }
        _modify { yield &identity.value.apiToken }
    }
    /// Whether quotas hold for an administrator, too: developers work in the operator's place, but the room is not theirs.
    var isBoundByQuotas: Bool {
        get { identity.value.isBoundByQuotas }
        set { identity.value.isBoundByQuotas = newValue }
    }
    /// The client's own name for itself, as far as it says one: its devices are not told of what it does. Proves nothing.
    public var clientID: String?
    /// Whose rates the caller's requests count for.
    var payers: [Throttle.Subject] = []
    /// Where the request stands in a trace of its client's; goes with what the server sends outside because of it.
    public var trace: TraceContext?
    /// Whether the client speaks for an app of the native API, whose batches may be larger.
    public var isNative = false

    /// Makes a caller; only for those who checked the credential.
    public init(context: CloudContext, principal: Principal, clientID: String? = nil) {
        identity = CopyOnWrite(Identity(context: context, principal: principal))
        self.clientID = clientID
    }

    /// The name that the caller's records carry; nil for anonymous callers.
    public var userRecordName: String? {
        switch principal {
        case .anonymous: nil
        case .user(let name), .serverToServer(let name): name
        case .administrator(let name): name
        }
    }

    /// The name that stands in what the caller saves. Anonymous callers save nothing unless a role lets everybody.
    var authorRecordName: String { userRecordName ?? Self.nobodyRecordName }

    /// Nobody's user record name: of records that the operator makes in no one's name, or the anonymous.
    static let nobodyRecordName = "_" + String(repeating: "0", count: 32)

    var isAdministrator: Bool {
        if case .administrator = principal { true } else { false }
    }
}
