import StratusCloudModel
import StratusCloudService
import StratusHTTPClient

/// Asks the server about a backup before restic does, which would try again for a quarter of an hour whatever is refused.
struct BackupServer: Sendable {
    private let settings: BackupSettings
    private let device: BackupDevice
    private let http: HTTPClient

    init(_ settings: BackupSettings, _ device: BackupDevice) {
        self.settings = settings
        self.device = device
        var options = HTTPClientOptions()
        options.certificateAuthorityFile = settings.certificateAuthorityFile
        options.usesEnvironmentProxy = true
        options.timeout = .seconds(30)
        http = HTTPClient(options: options)
    }

    /// Whether there is a backup of the device.
    /// - Throws: if the server cannot be reached, or refuses the app password.
    func hasBackup() async throws(ToolError) -> Bool {
        switch try await status("HEAD", "config") {
        case 200: return true
        case 404: return false
        case let status: throw refusal(status)
        }
    }

    /// - Throws: if the app password may not delete backups.
    func checkMayDelete() async throws(ToolError) {
        // There is no such file: the answer says only whether it could be deleted.
        let name = String(repeating: "0", count: 64)
        switch try await status("DELETE", "snapshots/\(name)") {
        case 200: return
        case 403:
            throw ToolError(
                "this app password cannot delete backups; create one that can, on the page \(settings.url)/account or "
                    + "with 'stratus account app-password create --allow-delete'", code: "ACCESS_DENIED")
        case 404: throw Self.noBackup(of: device)
        case let status: throw refusal(status)
        }
    }

    static func noBackup(of device: BackupDevice) -> ToolError {
        ToolError("the account has no backup of a device '\(device.name)'", code: "NOT_FOUND")
    }

    private func status(_ method: String, _ file: String) async throws(ToolError) -> Int {
        let credentials = Base64.string(Array("\(settings.email):\(settings.appPassword)".utf8))
        do throws(HTTPClientError) {
            let response = try await http.send(
                HTTPClientRequest(
                    method: method, url: "\(settings.url)/backup/\(device.name)/\(file)",
                    headers: ["Authorization": "Basic \(credentials)"]))
            return response.status
        } catch {
            throw ToolError("\(settings.url) cannot be reached: \(error.message)", code: "NETWORK")
        }
    }

    private func refusal(_ status: Int) -> ToolError {
        switch status {
        case 401:
            ToolError("\(settings.url): e-mail address or app password is wrong", code: "AUTHENTICATION_FAILED")
        case 429:
            ToolError("\(settings.url): too many requests or wrong app passwords; try again later", code: "THROTTLED")
        default: ToolError("\(settings.url) answered with HTTP \(status); is it a Stratus server?")
        }
    }
}
