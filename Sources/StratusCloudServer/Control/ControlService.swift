import StratusCloudModel
import StratusCloudService
import StratusCloudStore
import StratusCloudWire

/// Does what the operator asks. The same code serves the control socket and tools that opened the data themselves.
public struct ControlService: Sendable {
    let service: CloudService
    /// What the service lies in, as far as it can be copied and checked.
    let store: (any MaintainedStore)?
    /// What belongs to it beside the store.
    let files: CloudFiles?
    let checks = WatchedChecks()

    /// The operator's commands for `service`.
    /// - Parameters:
    ///   - store: what the service lies in; without it nothing can be verified.
    ///   - files: what belongs to a backup beside the store; without it there are none.
    public init(_ service: CloudService, store: (any CloudStore)? = nil, files: CloudFiles? = nil) {
        self.service = service
        self.files = files
        self.store = store as? any MaintainedStore
    }

    /// Answers a request; refusals are answers, too.
    public func perform(_ request: ControlRequest) async -> ControlResponse {
        do {
            return try await answer(request)
        } catch {
            return .failed(ControlFailure(error))
        }
    }

    /// Builds what requests left to be built, where no server does that by itself. What fails now is taken up by the next
    /// server.
    public func buildIndexes() async {
        do {
            try await service.buildIndexes()
        } catch {
            // Reported where it became a CloudError.
        }
    }

    private func answer(_ request: ControlRequest) async throws(CloudError) -> ControlResponse {
        switch request {
        case .ping:
            return .done
        case .createContainer, .listContainers, .describeContainer, .deleteContainer, .setAppLink:
            return try await answerContainers(request)
        case .createAccount, .setPassword, .listAccounts, .updateProfile, .setDiscoverable, .showUsage:
            return try await answerAccounts(request)
        case .createToken(let context, let name, let callback, let origins):
            let token = try await service.createAPIToken(
                for: try context.resolved(), name: name, signInCallback: callback, allowedOrigins: origins)
            return .token(token)
        case .registerKey(let context, let name, let pem):
            let context = try context.resolved()
            return .keyID(try await service.registerServerKey(for: context, name: name, publicKeyPEM: pem))
        case .createSession(let email, let context):
            let signIn = try await service.createSession(email: email, context: try context.resolved())
            return .session(webAuthToken: signIn.webAuthToken, userRecordName: signIn.userRecordName)
        case .applySchema(let context, let text, let by):
            try await service.applySchema(text, to: try await existing(context), by: by ?? "")
            return .done
        case .showSchema(let context):
            return .schema(try await service.schemaText(of: try await existing(context)))
        case .schema(let request):
            return try await answer(request)
        case .person(let request):
            return try await answer(request)
        case .developer(let request):
            return try await answer(request)
        case .appPassword(let request):
            return try await answer(request)
        case .listTokens, .revokeToken, .listKeys, .revokeKey:
            return try await answerCredentials(request)
        case .backUp(let path, let keep, let includesKeys):
            return try await backUp(to: path, keeping: keep, includesKeys: includesKeys)
        case .verify, .checkConsistency, .checkProgress:
            return try await answerChecks(request)
        default:
            return try await answerRecords(request)
        }
    }

    /// A context whose container exists.
    func existing(_ context: ControlContext) async throws(CloudError) -> CloudContext {
        let context = try context.resolved()
        guard try await service.listContainers().contains(context.container) else {
            throw CloudError(.notFound, "container '\(context.container)' does not exist")
        }
        return context
    }

    static func container(_ text: String) throws(CloudError) -> ContainerIdentifier {
        guard let identifier = ContainerIdentifier(text) else {
            throw CloudError(
                .badRequest,
                "'\(text.prefix(64))' is not a container: it must begin with 'iCloud.' and hold at most "
                    + "\(ModelLimits.nameLength) ASCII letters, digits, '-', '_' and '.'")
        }
        return identifier
    }
}

extension ControlContext {
    /// The values that the words stand for.
    func resolved() throws(CloudError) -> CloudContext {
        guard let environment = CloudEnvironment(rawValue: environment) else {
            throw CloudError(.badRequest, "'\(environment)' is not an environment: development or production")
        }
        return CloudContext(container: try ControlService.container(container), environment: environment)
    }
}
