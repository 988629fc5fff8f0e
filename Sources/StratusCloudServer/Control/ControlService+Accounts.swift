import StratusCloudModel
import StratusCloudService

/// Accounts, what they say of their people, and what they hold.
extension ControlService {
    func answerAccounts(_ request: ControlRequest) async throws(CloudError) -> ControlResponse {
        switch request {
        case .createAccount(let email, let password, let profile):
            try await service.createAccount(
                email: email, password: password, profile: (profile ?? ControlProfile()).change)
            return .done
        case .setPassword(let email, let password):
            try await service.setPassword(email: email, password: password)
            return .done
        case .listAccounts:
            return .names(try await service.listAccounts())
        case .updateProfile(let email, let profile):
            try await service.updateProfile(email: email, profile.change)
            return .done
        case .setDiscoverable(let email, let context, let isDiscoverable):
            try await service.setDiscoverable(isDiscoverable, email: email, in: try await existing(context))
            return .done
        case .showUsage(let database):
            let (scope, caller) = try await access(to: database)
            let usage = try await service.usage(of: scope, as: caller)
            return .usage(
                ControlUsage(
                    records: usage.records, recordBytes: usage.recordBytes, assetBytes: usage.assetBytes))
        default:
            throw CloudError(.badRequest, "this control request is not about accounts")
        }
    }
}

extension ControlProfile {
    fileprivate var change: ProfileChange {
        ProfileChange(givenName: givenName, familyName: familyName, phone: phone)
    }
}
