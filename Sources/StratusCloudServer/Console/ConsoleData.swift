import StratusCloudModel
import StratusCloudService

/// Databases, through the operations of the web services: the same bodies, the same answers.
enum ConsoleData {
    /// Names whom a developer stands in for: a test account of the container, in development.
    static let actingHeader = "X-Stratus-Act-As"

    static let routes = WebServiceOperation.allCases.filter(\.isForDevelopers).map { operation in
        ConsoleRoute(
            "POST", "c/:container/:environment/ck/:scope/\(operation.rawValue)",
            .team(operation.isMutating ? .changeData : .readData)
        ) { call throws(CloudError) in try await perform(operation, call) }
    }

    private static func perform(
        _ operation: WebServiceOperation, _ call: ConsoleCall
    ) async throws(CloudError) -> ConsoleAnswer {
        let context = try call.context()
        guard let scope = DatabaseScope(rawValue: try call.parameter("scope")) else {
            throw CloudError(.notFound, "there is no such database; use public, private or shared")
        }
        var caller = try await caller(
            call, scope, isAboutRecords: operation.isAboutRecords, standingInFor: call.head.headers[actingHeader])
        caller.trace = RequestTrace.context
        return ConsoleAnswer(
            await call.webServices.respond(
                to: call.request, WebServiceCall(context: context, scope: scope, operation: operation), as: caller,
                requestUUID: call.requestUUID))
    }

    /// In whose name a developer asks.
    /// - Parameter user: the test account that the developer stands in for; nil for nobody.
    static func caller(
        _ call: ConsoleCall, _ scope: DatabaseScope, isAboutRecords: Bool, standingInFor user: String?
    ) async throws(CloudError) -> Caller {
        let context = try call.context()
        let developer = try call.signedIn()
        guard let user else {
            return try await call.service.caller(of: developer, in: context, scope, isAboutRecords: isAboutRecords)
        }
        guard context.environment == .development else {
            throw CloudError(.accessDenied, "test accounts exist in development only")
        }
        try await call.service.authorize(developer, to: .useTestAccounts, in: context.container, context.environment)
        return try await call.service.caller(actingAs: user, in: context)
    }
}

extension WebServiceOperation {
    /// Whether developers use it in the console: not what signs in devices and programs, nor address books.
    var isForDevelopers: Bool {
        switch self {
        case .queryRecords, .lookupRecords, .modifyRecords, .recordChanges, .zoneChanges, .databaseChanges, .listZones,
            .publicChanges, .lookupZones, .modifyZones, .zonesChanges, .listSubscriptions, .lookupSubscriptions,
            .modifySubscriptions, .caller, .currentUser, .lookupUsersByID, .uploadAssets, .rereferenceAssets,
            .resolveShares, .acceptShares, .declineShares, .lookupShares:
            true
        case .requestAccess, .updateShareKeys, .sendInvitations, .listInvitations, .createToken, .registerToken,
            .webAuthToken, .fileRoom, .publishFile, .listPublications, .unpublishFile,
            .discoverUsers, .lookupUsersByEmail, .lookupUsersByPhone, .lookupContacts:
            false
        }
    }

    /// Whether it is about the records and zones of a database, rather than about who asks.
    var isAboutRecords: Bool {
        switch self {
        case .queryRecords, .lookupRecords, .modifyRecords, .recordChanges, .zoneChanges, .databaseChanges, .listZones,
            .publicChanges, .lookupZones, .modifyZones, .zonesChanges, .uploadAssets, .rereferenceAssets:
            true
        default: false
        }
    }
}
