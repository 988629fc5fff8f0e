import StratusHTTPClient
import StratusWorkers

/// The HTTP clients of the process: one for each set of certificate authorities, so that connections are shared.
enum SharedHTTPClients {
    private static let clients = Lock<[String: HTTPClient]>([:])

    static func client(certificateAuthorityFile: String?) -> HTTPClient {
        clients.withLock { clients in
            let name = certificateAuthorityFile ?? ""
            if let client = clients[name] { return client }
            var options = HTTPClientOptions()
            options.certificateAuthorityFile = certificateAuthorityFile
            options.usesEnvironmentProxy = true
            options.userAgent = "stratus-cloudkit"
            let client = HTTPClient(options: options)
            clients[name] = client
            return client
        }
    }
}
