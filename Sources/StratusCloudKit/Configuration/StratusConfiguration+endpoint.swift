import CloudModel

extension StratusConfiguration {
    /// Where a container is, and as whom to ask; nil for the first container.
    func endpoint(of identifier: String?) throws(Failure) -> HTTPCloudTransport.Endpoint {
        guard let name = identifier ?? containers.first?.identifier else {
            throw Failure(
                description: "No container is configured: set STRATUS_CONTAINER, or 'containers' in stratus.json.")
        }
        guard let container = ContainerIdentifier(name) else {
            throw Failure(description: "'\(name)' is no container identifier; they begin with 'iCloud.'.")
        }
        guard let environment = CloudEnvironment(rawValue: environment) else {
            throw Failure(description: "'\(environment)' is no environment; use development or production.")
        }
        guard url.hasPrefix("https://") || url.hasPrefix("http://") else {
            throw Failure(description: "'\(url)' is no address of a server; it begins with https:// or http://.")
        }
        let own = containers.first { $0.identifier == name }
        guard let apiToken = own?.apiToken ?? apiToken else {
            throw Failure(
                description:
                    "There is no API token for '\(name)': set STRATUS_API_TOKEN, or 'apiToken' in stratus.json.")
        }
        return HTTPCloudTransport.Endpoint(
            server: url, container: container, environment: environment, apiToken: apiToken,
            webAuthToken: own?.webAuthToken ?? webAuthToken)
    }
}
