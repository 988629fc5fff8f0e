import CloudKit
import StratusCloudModel
import StratusTestSupport
import Testing

extension Tenant {
    /// The way to the container's development environment over HTTP, as a person, or with nobody signed in.
    func transport(of person: Person?, clientID: String? = nil) throws -> HTTPCloudTransport {
        var endpoint = HTTPCloudTransport.Endpoint(
            server: cloud.server.url, container: try #require(ContainerIdentifier(container)),
            environment: .development, apiToken: apiToken, webAuthToken: person?.webAuthToken)
        if let clientID { endpoint.clientID = clientID }
        return HTTPCloudTransport(endpoint, http: Database.http)
    }

    /// The container over such a way, on a device of its own.
    func container(over transport: any CloudTransport) -> CKContainer {
        CKContainer(identifier: container, transport: transport, keyStore: MemoryKeyStore())
    }
}
