import StratusCloudModel
import StratusCloudService

/// The developer's own cloud account, whose private and shared databases they have in the console.
enum ConsoleAccount {
    static let routes = [
        ConsoleRoute("GET", "account", .developers, show),
        ConsoleRoute("POST", "account", .developers, link),
        ConsoleRoute("DELETE", "account", .developers, unlink),
    ]

    private static func show(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        answer(try await call.service.linkedAccount(of: try call.signedIn()))
    }

    private static func link(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        let body = try call.body()
        return answer(
            try await call.service.linkAccount(
                email: try body.text("email"), password: try body.text("password"), to: try call.signedIn(),
                source: call.source))
    }

    private static func unlink(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        try await call.service.unlinkAccount(of: try call.signedIn())
        return answer(nil)
    }

    private static func answer(_ account: LinkedAccount?) -> ConsoleAnswer {
        ConsoleAnswer([
            "account": account.map { ["email": .string($0.email), "since": .integer($0.since)] } ?? nil
        ])
    }
}
