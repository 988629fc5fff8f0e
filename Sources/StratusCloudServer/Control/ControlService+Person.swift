import StratusCloudModel
import StratusCloudService
import StratusCloudWire

/// Everything about a person, out or gone.
extension ControlService {
    func answer(_ request: ControlPersonRequest) async throws(CloudError) -> ControlResponse {
        switch request {
        case .describe(let email):
            return .person(ControlPerson(try await service.person(email: email)))
        case .places(let email, let context):
            return .personPlaces(try await places(of: email, in: try await existing(context)))
        case .erase(let email, let deletes):
            return .erased(
                ControlErasure(try await service.eraseAccount(email: email, deletingPublicRecords: deletes)))
        }
    }

    /// Seen as the person sees it.
    private func places(of email: String, in context: CloudContext) async throws(CloudError) -> ControlPersonPlaces {
        let name = try await service.userRecordName(email: email, in: context)
        let caller = Caller(context: context, principal: .user(name))
        let encoder = Self.encoder(caller)
        let zones = try await service.listZones(in: .private, as: caller)
        var shares: [String] = []
        for zone in zones {
            let names = try await shareNames(in: zone.zoneID, of: name, context)
            let step = service.configuration.operationsPerRequest
            for start in stride(from: 0, to: names.count, by: step) {
                let items = names[start..<min(start + step, names.count)].map {
                    LookupRecordsRequest.Item(recordName: $0)
                }
                let request = LookupRecordsRequest(items: items, zoneID: zone.zoneID)
                let results = try await service.lookupRecords(request, in: .private, as: caller)
                shares.append(Self.text(encoder.lookupRecords(results)))
            }
        }
        var subscriptions: [String: String] = [:]
        for scope in DatabaseScope.allCases {
            let list = try await service.listSubscriptions(in: scope, as: caller)
            subscriptions[scope.rawValue] = Self.text(encoder.listSubscriptions(list))
        }
        return ControlPersonPlaces(
            zones: Self.text(encoder.listZones(zones)),
            sharedZones: Self.text(encoder.listZones(try await service.listZones(in: .shared, as: caller))),
            shares: shares, subscriptions: subscriptions,
            devices: try await service.devices(of: name, in: context).map {
                ControlPersonPlaces.Device(
                    kind: $0.kind, clientID: $0.clientID, created: $0.created, lastSeen: $0.lastSeen,
                    address: $0.address)
            },
            changeTokens: try await service.changeTokens(of: name, in: context).map {
                ControlPersonPlaces.ChangeToken(
                    zoneName: $0.zoneID.zoneName, ownerRecordName: $0.zoneID.ownerRecordName ?? name, given: $0.given,
                    token: Base64.string($0.token))
            })
    }

    private func shareNames(
        in zone: ZoneID, of user: String, _ context: CloudContext
    ) async throws(CloudError) -> [String] {
        let administrator = Caller(context: context, principal: .administrator(actingAs: user))
        var (names, after): ([String], String?) = ([], nil)
        repeat {
            let page = try await service.exportRecords(
                of: SystemRecordType.share, in: .private, zoneID: ZoneID(zoneName: zone.zoneName), after: after,
                as: administrator)
            names += page.records.map(\.recordName)
            after = page.next
        } while after != nil
        return names
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
