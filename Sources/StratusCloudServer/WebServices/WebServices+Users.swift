import StratusCloudModel
import StratusCloudService
import StratusCloudWire

/// Looking for people.
extension WebServices {
    func performOnUsers(
        _ operation: WebServiceOperation, _ body: [UInt8], _ caller: Caller, _ encoder: ResponseEncoder
    ) async throws(CloudError) -> WebServiceAnswer {
        switch operation {
        case .webAuthToken:
            let token = try await service.webAuthToken(forAPIToken: try decoder.webAuthToken(body), as: caller)
            return WebServiceAnswer(encoder.webAuthToken(token))
        case .discoverUsers:
            guard let lookups = try decoder.discoverUsers(body) else {
                return WebServiceAnswer(encoder.discoverUsers(try await service.discoverAllUsers(as: caller)))
            }
            return WebServiceAnswer(encoder.discoverUsers(try await service.discoverUsers(lookups, as: caller)))
        case .lookupContacts:
            let hashes = try decoder.contacts(body)
            return WebServiceAnswer(encoder.contacts(try await service.contacts(replacing: hashes, as: caller)))
        case .lookupUsersByEmail: return try await lookUp(.emailAddress, body, caller, encoder)
        case .lookupUsersByPhone: return try await lookUp(.phoneNumber, body, caller, encoder)
        default: return try await lookUp(.userRecordName, body, caller, encoder)
        }
    }

    private func lookUp(
        _ kind: UserLookupKind, _ body: [UInt8], _ caller: Caller, _ encoder: ResponseEncoder
    ) async throws(CloudError) -> WebServiceAnswer {
        let lookups = try decoder.lookupUsers(body, by: kind)
        return WebServiceAnswer(encoder.lookupUsers(try await service.discoverUsers(lookups, as: caller)))
    }
}
