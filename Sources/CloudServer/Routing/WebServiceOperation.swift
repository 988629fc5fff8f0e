/// What a client asks of the web services. The raw value is the end of the path.
enum WebServiceOperation: String, Hashable, Sendable, CaseIterable {
    case queryRecords = "records/query"
    case lookupRecords = "records/lookup"
    case modifyRecords = "records/modify"
    case listZones = "zones/list"
    case lookupZones = "zones/lookup"
    case modifyZones = "zones/modify"
    case caller = "users/caller"
    case currentUser = "users/current"
    case uploadAssets = "assets/upload"
    case rereferenceAssets = "assets/rereference"

    /// The operation with this entity and action. Compares in place, because every request comes through here.
    init?(entity: String, action: String) {
        switch (entity, action) {
        case ("records", "lookup"): self = .lookupRecords
        case ("records", "query"): self = .queryRecords
        case ("records", "modify"): self = .modifyRecords
        case ("zones", "list"): self = .listZones
        case ("zones", "lookup"): self = .lookupZones
        case ("zones", "modify"): self = .modifyZones
        case ("users", "caller"): self = .caller
        case ("users", "current"): self = .currentUser
        case ("assets", "upload"): self = .uploadAssets
        case ("assets", "rereference"): self = .rereferenceAssets
        default: return nil
        }
    }

    /// Whether a GET is answered like a POST of `{}`.
    var allowsGet: Bool {
        switch self {
        case .listZones, .caller, .currentUser: true
        case .queryRecords, .lookupRecords, .modifyRecords, .lookupZones, .modifyZones, .uploadAssets,
            .rereferenceAssets:
            false
        }
    }

    /// Whether the operation may change something.
    var isMutating: Bool {
        switch self {
        case .modifyRecords, .modifyZones, .uploadAssets, .rereferenceAssets: true
        case .queryRecords, .lookupRecords, .listZones, .lookupZones, .caller, .currentUser: false
        }
    }
}
