/// What a client asks of the web services. The raw value is the end of the path.
enum WebServiceOperation: String, Hashable, Sendable, CaseIterable {
    case queryRecords = "records/query"
    case lookupRecords = "records/lookup"
    case modifyRecords = "records/modify"
    case recordChanges = "records/changes"
    case resolveShares = "records/resolve"
    case acceptShares = "records/accept"
    case declineShares = "records/decline"
    case requestAccess = "records/requestAccess"
    case lookupShares = "records/shares"
    case updateShareKeys = "records/shareKeys"
    case sendInvitations = "records/invite"
    case listInvitations = "records/invitations"
    case zoneChanges = "changes/zone"
    case databaseChanges = "changes/database"
    case publicChanges = "changes/records"
    case listZones = "zones/list"
    case lookupZones = "zones/lookup"
    case modifyZones = "zones/modify"
    case zonesChanges = "zones/changes"
    case listSubscriptions = "subscriptions/list"
    case lookupSubscriptions = "subscriptions/lookup"
    case modifySubscriptions = "subscriptions/modify"
    case createToken = "tokens/create"
    case registerToken = "tokens/register"
    case caller = "users/caller"
    case currentUser = "users/current"
    case webAuthToken = "users/token"
    case fileRoom = "users/fileRoom"
    case discoverUsers = "users/discover"
    case lookupUsersByEmail = "users/lookup/email"
    case lookupUsersByPhone = "users/lookup/phone"
    case lookupUsersByID = "users/lookup/id"
    case lookupContacts = "users/lookup/contacts"
    case uploadAssets = "assets/upload"
    case rereferenceAssets = "assets/rereference"
    case publishFile = "files/publish"
    case listPublications = "files/published"
    case unpublishFile = "files/unpublish"

    /// The operation with this entity and action. Compares in place, because every request comes through here.
    init?(entity: String, action: String) {
        switch (entity, action) {
        case ("records", "lookup"): self = .lookupRecords
        case ("records", "query"): self = .queryRecords
        case ("records", "modify"): self = .modifyRecords
        case ("records", "changes"): self = .recordChanges
        case ("records", "resolve"): self = .resolveShares
        case ("records", "accept"): self = .acceptShares
        case ("records", "decline"): self = .declineShares
        case ("records", "invite"): self = .sendInvitations
        case ("records", "invitations"): self = .listInvitations
        case ("records", "requestAccess"): self = .requestAccess
        case ("records", "shares"): self = .lookupShares
        case ("records", "shareKeys"): self = .updateShareKeys
        case ("changes", "zone"): self = .zoneChanges
        case ("changes", "database"): self = .databaseChanges
        case ("changes", "records"): self = .publicChanges
        case ("zones", "list"): self = .listZones
        case ("zones", "lookup"): self = .lookupZones
        case ("zones", "modify"): self = .modifyZones
        case ("zones", "changes"): self = .zonesChanges
        case ("subscriptions", "list"): self = .listSubscriptions
        case ("subscriptions", "lookup"): self = .lookupSubscriptions
        case ("subscriptions", "modify"): self = .modifySubscriptions
        case ("tokens", "create"): self = .createToken
        case ("tokens", "register"): self = .registerToken
        case ("users", "caller"): self = .caller
        case ("users", "current"): self = .currentUser
        case ("users", "token"): self = .webAuthToken
        case ("users", "fileRoom"): self = .fileRoom
        case ("users", "discover"): self = .discoverUsers
        case ("users", "lookup/email"): self = .lookupUsersByEmail
        case ("users", "lookup/phone"): self = .lookupUsersByPhone
        case ("users", "lookup/id"): self = .lookupUsersByID
        case ("users", "lookup/contacts"): self = .lookupContacts
        case ("assets", "upload"): self = .uploadAssets
        case ("assets", "rereference"): self = .rereferenceAssets
        case ("files", "publish"): self = .publishFile
        case ("files", "published"): self = .listPublications
        case ("files", "unpublish"): self = .unpublishFile
        default: return nil
        }
    }

    /// Whether a GET is answered like a POST of `{}`.
    var allowsGet: Bool {
        switch self {
        case .listZones, .listSubscriptions, .caller, .currentUser, .discoverUsers, .lookupContacts, .listInvitations,
            .fileRoom, .listPublications:
            true
        case .webAuthToken, .queryRecords, .lookupRecords, .modifyRecords, .lookupZones, .modifyZones,
            .lookupUsersByEmail,
            .lookupUsersByPhone, .lookupUsersByID, .uploadAssets, .rereferenceAssets, .lookupSubscriptions,
            .modifySubscriptions, .createToken, .registerToken:
            false
        case .recordChanges, .zoneChanges, .databaseChanges, .publicChanges, .zonesChanges, .resolveShares,
            .acceptShares, .declineShares, .requestAccess, .sendInvitations, .lookupShares, .updateShareKeys,
            .publishFile, .unpublishFile:
            false
        }
    }

    /// What an operation, and the reason of its refusal, is about.
    enum Subject {
        /// Records and zones of the database.
        case data
        /// What a user wants to be told, and where.
        case devices
        /// Who somebody is, or takes part in a share: addresses, phone numbers, names.
        case people
    }

    var subject: Subject {
        switch self {
        case .queryRecords, .lookupRecords, .modifyRecords, .recordChanges, .zoneChanges, .databaseChanges, .listZones,
            .lookupZones, .modifyZones, .zonesChanges, .publicChanges, .uploadAssets, .rereferenceAssets, .publishFile,
            .listPublications, .unpublishFile:
            .data
        case .listSubscriptions, .lookupSubscriptions, .modifySubscriptions, .createToken, .registerToken: .devices
        case .resolveShares, .acceptShares, .declineShares, .requestAccess, .lookupShares, .updateShareKeys,
            .sendInvitations, .listInvitations, .caller, .currentUser, .webAuthToken, .fileRoom, .discoverUsers,
            .lookupUsersByEmail,
            .lookupUsersByPhone, .lookupUsersByID, .lookupContacts:
            .people
        }
    }

    /// Whether it is about the caller's device rather than a database.
    var isAboutDevices: Bool { self == .createToken || self == .registerToken }

    /// Whether the operation may change something.
    var isMutating: Bool {
        switch self {
        case .webAuthToken, .modifyRecords, .modifyZones, .lookupContacts, .uploadAssets, .rereferenceAssets,
            .modifySubscriptions, .acceptShares, .declineShares, .requestAccess, .sendInvitations, .updateShareKeys,
            .createToken, .registerToken, .publishFile, .unpublishFile:
            true
        case .queryRecords, .lookupRecords, .listZones, .lookupZones, .caller, .currentUser, .recordChanges,
            .zoneChanges, .databaseChanges, .publicChanges, .zonesChanges, .discoverUsers, .lookupUsersByEmail,
            .lookupUsersByPhone, .lookupUsersByID, .listSubscriptions, .lookupSubscriptions, .resolveShares,
            .lookupShares, .listInvitations, .fileRoom, .listPublications:
            false
        }
    }
}
