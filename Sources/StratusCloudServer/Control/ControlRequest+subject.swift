import StratusCloudModel

extension ControlRequest {
    /// What the statistics call a command, and the context that it is about. Nil for commands about no single context,
    /// such as those about accounts, and for pieces of an asset, whose upload is counted as one.
    var subject: (operation: String, context: CloudContext)? {
        guard let (operation, context) = named, let context = try? context.resolved() else { return nil }
        return (operation, context)
    }

    private var named: (String, ControlContext)? {
        switch self {
        case .modifyRecords(let database, _): ("records/modify", database.context)
        case .lookupRecords(let database, _): ("records/lookup", database.context)
        case .queryRecords(let database, _): ("records/query", database.context)
        case .explainQuery(let database, _): ("records/explain", database.context)
        case .exportRecords(let database, _, _, _, _): ("records/export", database.context)
        case .listZones(let database): ("zones/list", database.context)
        case .modifyZones(let database, _): ("zones/modify", database.context)
        case .uploadPlaces(let database, _): ("assets/upload", database.context)
        case .showUsage(let database): ("usage/show", database.context)
        case .applySchema(let context, _, _): ("schema/apply", context)
        case .showSchema(let context): ("schema/show", context)
        case .schema(let request): request.named
        case .person(.places(_, let context)): ("users/export", context)
        case .setDiscoverable(_, let context, _): ("users/discoverable", context)
        case .createSession(_, let context): ("sessions/create", context)
        default: namedCredential
        }
    }

    private var namedCredential: (String, ControlContext)? {
        switch self {
        case .createToken(let context, _, _, _): ("tokens/create", context)
        case .listTokens(let context): ("tokens/list", context)
        case .revokeToken(let context, _): ("tokens/revoke", context)
        case .registerKey(let context, _, _): ("keys/register", context)
        case .listKeys(let context): ("keys/list", context)
        case .revokeKey(let context, _): ("keys/revoke", context)
        default: nil
        }
    }
}

extension ControlSchemaRequest {
    fileprivate var named: (String, ControlContext)? {
        switch self {
        case .importText(let context, _, _, _): ("schema/import", context)
        case .compare(let context, _): ("schema/compare", context)
        case .difference(let container): ("schema/difference", Self.development(container))
        case .deploy(let container, _, _, _, _):
            ("schema/deploy", ControlContext(container: container, environment: CloudEnvironment.production.rawValue))
        case .history(let context): ("schema/history", context)
        case .rollBack(let context, _, _): ("schema/rollback", context)
        case .reset(let container, _): ("schema/reset", Self.development(container))
        case .indexes(let context): ("schema/indexes", context)
        case .recordTypes(let context): ("schema/types", context)
        case .listRoles(let context): ("roles/list", context)
        case .createRole(let context, _, _): ("roles/create", context)
        case .deleteRole(let context, _, _): ("roles/delete", context)
        case .listMembers(let context, _): ("roles/members", context)
        case .setMembership(let context, _, _, _): ("roles/modify", context)
        }
    }

    private static func development(_ container: String) -> ControlContext {
        ControlContext(container: container, environment: CloudEnvironment.development.rawValue)
    }
}

extension ControlResponse {
    /// Whether the command was refused or failed as a whole.
    var isFailure: Bool {
        switch self {
        case .failed, .storeFailed: true
        default: false
        }
    }
}
