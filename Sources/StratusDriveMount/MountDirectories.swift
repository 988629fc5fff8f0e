/// The directories in which a mount keeps the files of an account's container.
struct MountDirectories {
    /// The list of items and the contents that the server does not have yet: this machine has the only copy.
    let data: String
    /// Contents that the server has.
    let cache: String

    init(of account: String, _ container: String, _ variables: [String: String]) throws(MountError) {
        guard !container.contains("/"), !container.hasPrefix("."), !container.isEmpty else {
            throw MountError("'\(container)' is no container identifier")
        }
        func directory(_ variable: String, _ inHome: String) throws(MountError) -> String {
            let base: String
            if let directory = variables[variable], directory.hasPrefix("/") {
                base = directory
            } else if let home = variables["HOME"], home.hasPrefix("/") {
                base = home + "/" + inHome
            } else {
                throw MountError("neither \(variable) nor HOME is set")
            }
            return "\(base)/stratus/mount/\(account)/\(container)"
        }
        data = try directory("XDG_DATA_HOME", ".local/share")
        cache = try directory("XDG_CACHE_HOME", ".cache")
    }
}
