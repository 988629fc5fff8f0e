import CloudKit
import StratusCloudModel
import StratusHTTPClient

extension HTTPCloudTransport {
    /// A way to a server that is measured, as a device of its own.
    convenience init(to server: Stratus, clientID: String = HTTPCloudTransport.processClientID) throws {
        guard let container = ContainerIdentifier(StratusData.container),
            let environment = CloudEnvironment(rawValue: server.data.environment)
        else { throw BenchmarkError("the container has no name") }
        self.init(
            Endpoint(
                server: "http://127.0.0.1:\(server.port)", container: container, environment: environment,
                apiToken: server.data.apiTokenText, webAuthToken: server.data.webAuthToken, clientID: clientID),
            http: HTTPClient())
    }
}
