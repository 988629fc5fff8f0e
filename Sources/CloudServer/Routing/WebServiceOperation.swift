/// What a client asks of the web services. The raw value is the end of the path.
enum WebServiceOperation: String, Hashable, Sendable, CaseIterable {
    case queryRecords = "records/query"
    case lookupRecords = "records/lookup"
    case modifyRecords = "records/modify"
    case listZones = "zones/list"
    case lookupZones = "zones/lookup"
    case modifyZones = "zones/modify"
    case listSubscriptions = "subscriptions/list"
    case lookupSubscriptions = "subscriptions/lookup"
    case modifySubscriptions = "subscriptions/modify"
    case createToken = "tokens/create"
    case registerToken = "tokens/register"
    case caller = "users/caller"
    case currentUser = "users/current"

    /// The operation with this entity and action. Compares in place, because every request comes through here.
    init?(entity: String, action: String) {
        switch (entity, action) {
        case ("records", "lookup"): self = .lookupRecords
        case ("records", "query"): self = .queryRecords
        case ("records", "modify"): self = .modifyRecords
        case ("zones", "list"): self = .listZones
        case ("zones", "lookup"): self = .lookupZones
        case ("zones", "modify"): self = .modifyZones
        case ("subscriptions", "list"): self = .listSubscriptions
        case ("subscriptions", "lookup"): self = .lookupSubscriptions
        case ("subscriptions", "modify"): self = .modifySubscriptions
        case ("tokens", "create"): self = .createToken
        case ("tokens", "register"): self = .registerToken
        case ("users", "caller"): self = .caller
        case ("users", "current"): self = .currentUser
        default: return nil
        }
    }

    /// Whether a GET is answered like a POST of `{}`.
    var allowsGet: Bool {
        switch self {
        case .listZones, .listSubscriptions, .caller, .currentUser: true
        case .queryRecords, .lookupRecords, .modifyRecords, .lookupZones, .modifyZones, .lookupSubscriptions,
            .modifySubscriptions, .createToken, .registerToken:
            false
        }
    }

    /// Whether it is about the caller's device rather than a database.
    var isAboutDevices: Bool { self == .createToken || self == .registerToken }

    /// Whether the operation may change something.
    var isMutating: Bool {
        switch self {
        case .modifyRecords, .modifyZones, .modifySubscriptions, .createToken, .registerToken: true
        case .queryRecords, .lookupRecords, .listZones, .lookupZones, .listSubscriptions, .lookupSubscriptions, .caller,
            .currentUser:
            false
        }
    }
}
