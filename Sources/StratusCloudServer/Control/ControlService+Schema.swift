import StratusCloudModel
import StratusCloudService

/// Schemas, environments, roles and credentials.
extension ControlService {
    func answer(_ request: ControlSchemaRequest) async throws(CloudError) -> ControlResponse {
        switch request {
        case .importText(let context, let text, let by, let isTrial):
            let diff = try await service.importSchema(
                text, to: try await existing(context), by: by, isTrial: isTrial)
            return .schemaChange(ControlSchemaChange(diff))
        case .compare(let context, let text):
            return .schemaChange(
                ControlSchemaChange(try await service.schemaDiff(of: try await existing(context), to: text)))
        case .difference(let container):
            return .schemaChange(
                ControlSchemaChange(try await service.schemaDiff(of: try Self.container(container))))
        case .deploy(let container, let name, let by, let shown, let isTrial):
            let deployment = try await service.deploySchema(
                of: try Self.container(container), named: name, by: by, expecting: shown, isTrial: isTrial)
            return .schemaChange(ControlSchemaChange(deployment.diff, recordsToIndex: deployment.recordsToIndex))
        case .history(let context):
            let entries = try await service.schemaHistory(of: try await existing(context))
            return .history(
                entries.map(ControlHistoryEntry.init))
        case .rollBack(let context, let number, let by):
            let diff = try await service.rollBackSchema(of: try await existing(context), change: number, by: by)
            return .schemaChange(ControlSchemaChange(diff))
        case .reset(let container, let by):
            try await service.resetDevelopment(of: try Self.container(container), by: by)
            return .done
        case .indexes(let context):
            return .indexes(
                try await service.indexes(of: try await existing(context)).map(ControlIndex.init))
        case .recordTypes(let context):
            let types = try await service.fieldTypes(of: try await existing(context))
            return .recordTypes(types.map(ControlRecordType.init))
        case .listRoles, .createRole, .deleteRole, .listMembers, .setMembership:
            return try await answerRoles(request)
        }
    }

    private func answerRoles(_ request: ControlSchemaRequest) async throws(CloudError) -> ControlResponse {
        switch request {
        case .listRoles(let context):
            return .names(try await service.roles(of: try await existing(context)))
        case .createRole(let context, let role, let by):
            try await service.createRole(role, in: try await existing(context), by: by)
            return .done
        case .deleteRole(let context, let role, let by):
            try await service.deleteRole(role, in: try await existing(context), by: by)
            return .done
        case .listMembers(let context, let role):
            return .names(try await service.members(ofRole: role, in: try await existing(context)))
        case .setMembership(let context, let role, let user, let isMember):
            let context = try await existing(context)
            let name = user.contains("@") ? try await service.userRecordName(email: user, in: context) : user
            try await service.setMembership(of: name, inRole: role, isMember, in: context)
            return .names([name])
        default:
            throw CloudError(.badRequest, "this control request is not about roles")
        }
    }

    func answerCredentials(_ request: ControlRequest) async throws(CloudError) -> ControlResponse {
        switch request {
        case .listTokens(let context):
            return .credentials(
                try await service.listAPITokens(of: try await existing(context)).map(ControlCredential.init))
        case .revokeToken(let context, let id):
            try await service.revokeAPIToken(id, of: try await existing(context))
            return .done
        case .listKeys(let context):
            return .credentials(
                try await service.listServerKeys(of: try await existing(context)).map(ControlCredential.init))
        case .revokeKey(let context, let id):
            try await service.revokeServerKey(id, of: try await existing(context))
            return .done
        default:
            throw CloudError(.badRequest, "this control request is not about credentials")
        }
    }
}
