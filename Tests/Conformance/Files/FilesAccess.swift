import StratusCloudModel
import StratusHTTPClient
import StratusTestSupport

/// The ways to a person's files beside the web services: an app password, and a session on the page `/files`.
struct FilesAccess: Sendable {
    /// The value of `Authorization`.
    let basic: String
    /// The value of `Cookie`.
    let cookie: String
    /// The token that the page sends with changes.
    let form: String

    init(of person: Tenant.Person, in tenant: Tenant) async throws {
        let made = try await tenant.cloud.tool([
            "account", "app-password", "create", "--email", person.email, "--name", "files",
        ])
        let credentials = "\(person.email):\(made["password"].string ?? "")"
        basic = "Basic \(Base64.string(Array(credentials.utf8)))"
        let browser = tenant.database("private", .none)
        let fields = PercentEncoding.encode([
            ("action", "sign-in"), ("email", person.email), ("password", person.password),
        ])
        let entered = try await browser.send(
            "POST", path: "/files",
            headers: ["Sec-Fetch-Site": "same-origin", "Content-Type": "application/x-www-form-urlencoded"],
            body: Array(fields.utf8))
        cookie = String(entered.headers["Set-Cookie"]?.prefix { $0 != ";" } ?? "")
        let page = try await browser.send("GET", path: "/files", headers: ["Cookie": cookie])
        guard let token = page.text.firstMatch(of: /data-form="([^"]+)"/)?.output.1 else {
            throw UnexpectedAnswer(page)
        }
        form = String(token)
    }
}
