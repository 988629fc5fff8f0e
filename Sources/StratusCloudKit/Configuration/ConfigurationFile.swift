/// The contents of `stratus.json`.
struct ConfigurationFile: Decodable {
    var url: String?
    var environment: String?
    var containers: ContainerList?
    var apiToken: String?
    var webAuthToken: String?
    var certificateAuthorityFile: String?
    /// `secret-service`, or the directory of the keys.
    var keys: String?
    /// Further configurations by name, each over the one above.
    var profiles: [String: ConfigurationFile]?

    /// A list of names, or of objects.
    struct ContainerList: Decodable {
        var list: [StratusConfiguration.Container]

        private struct Entry: Decodable {
            var container: StratusConfiguration.Container

            private enum Key: String, CodingKey { case identifier, apiToken, webAuthToken }

            init(from decoder: any Decoder) throws {
                if let name = try? decoder.singleValueContainer().decode(String.self) {
                    container = StratusConfiguration.Container(name)
                    return
                }
                let members = try decoder.container(keyedBy: Key.self)
                container = StratusConfiguration.Container(
                    try members.decode(String.self, forKey: .identifier),
                    apiToken: try members.decodeIfPresent(String.self, forKey: .apiToken),
                    webAuthToken: try members.decodeIfPresent(String.self, forKey: .webAuthToken))
            }
        }

        init(from decoder: any Decoder) throws {
            list = try decoder.singleValueContainer().decode([Entry].self).map(\.container)
        }
    }

    /// What is said here, and for the rest what `base` says.
    func over(_ base: ConfigurationFile) -> ConfigurationFile {
        var result = base
        result.url = url ?? base.url
        result.environment = environment ?? base.environment
        result.containers = containers ?? base.containers
        result.apiToken = apiToken ?? base.apiToken
        result.webAuthToken = webAuthToken ?? base.webAuthToken
        result.certificateAuthorityFile = certificateAuthorityFile ?? base.certificateAuthorityFile
        result.keys = keys ?? base.keys
        return result
    }
}
