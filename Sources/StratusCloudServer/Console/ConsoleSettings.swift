import StratusCloudModel
import StratusCloudService

/// What there is to set for a container, and what the operator set for all.
enum ConsoleSettings {
    static let routes = [
        ConsoleRoute("GET", "c/:container/settings", .team(.seeSettings), show),
        ConsoleRoute("PUT", "c/:container/settings", .team(.changeSettings), change),
    ]

    private static func show(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        let link = try await call.service.appLink(of: try call.container())
        return ConsoleAnswer([
            "appURL": ConsoleJSON(link.url), "appCommand": ConsoleJSON(link.command),
            "quotas": quotas(call.service), "readOnly": ["quotas"],
        ])
    }

    /// Takes the keys that are there; an empty text or null removes a value.
    private static func change(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        let body = try call.body()
        let container = try call.container()
        for (name, value) in try body.members() where !["appURL", "appCommand"].contains(name) {
            throw value.refusal("cannot be set here")
        }
        var link = try await call.service.appLink(of: container)
        func text(_ name: StaticString) throws(CloudError) -> String?? {
            guard let value = body.memberOrNull(name) else { return nil }
            if value.isNull { return .some(nil) }
            let text = try value.string()
            return text.isEmpty ? .some(nil) : .some(text)
        }
        if let url = try text("appURL") { link.url = url }
        if let command = try text("appCommand") { link.command = command }
        try await call.service.setAppLink(link, of: container)
        return try await show(call)
    }

    /// What databases may hold; null is without limit.
    static func quotas(_ service: CloudService) -> ConsoleJSON {
        let quotas = service.configuration.quotas
        func number(_ value: Int64?) -> ConsoleJSON { value.map { .integer($0) } ?? .null }
        return [
            "publicRecordBytes": number(quotas.publicRecords), "publicAssetBytes": number(quotas.publicAssets),
            "userRecordBytes": number(quotas.privateRecords), "userAssetBytes": number(quotas.privateAssets),
        ]
    }
}
