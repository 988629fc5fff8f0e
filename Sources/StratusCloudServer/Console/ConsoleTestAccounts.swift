import StratusCloudModel
import StratusCloudService

/// Accounts that developers made up, to see their app as others see it.
enum ConsoleTestAccounts {
    static let routes = [
        ConsoleRoute("GET", "c/:container/development/test-accounts", .team(.useTestAccounts), list),
        ConsoleRoute("POST", "c/:container/development/test-accounts", .team(.useTestAccounts), create),
        ConsoleRoute("DELETE", "c/:container/development/test-accounts/:id", .team(.useTestAccounts), remove),
    ]

    private static func list(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        let accounts = try await call.service.testAccounts(of: try call.container())
        return ConsoleAnswer(["accounts": .array(accounts.map { .object(members(of: $0)) })])
    }

    /// The password is in this answer and never again.
    private static func create(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        let (account, password) = try await call.service.createTestAccount(
            email: try call.body().optionalText("email"), in: try call.container())
        return ConsoleAnswer(.object(members(of: account) + [("password", .string(password))]))
    }

    private static func remove(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        try await call.service.removeTestAccount(try call.parameter("id"), of: try call.container())
        return .done
    }

    private static func members(of account: TestAccount) -> [(String, ConsoleJSON)] {
        [
            ("id", .string(account.id)), ("userRecordName", .string(account.userRecordName)),
            ("email", .string(account.email)), ("created", .integer(account.created)),
        ]
    }
}
