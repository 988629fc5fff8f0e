/// The address an API token names to go to after a sign-in.
enum CallbackAddress {
    /// The address with a parameter in its query, in front of a fragment.
    static func adding(_ name: String, _ value: String, to callback: String) -> String {
        let mark = callback.firstIndex(of: "#") ?? callback.endIndex
        let address = callback[..<mark]
        let separator = !address.contains("?") ? "?" : address.hasSuffix("?") || address.hasSuffix("&") ? "" : "&"
        return address + separator + name + "=" + PercentEncoding.encode(value) + callback[mark...]
    }

    /// The source expression of a content security policy that allows going to the address: scheme and host for the
    /// web, the scheme for apps.
    static func policySource(of callback: String) -> String {
        let parts = callback.split(separator: ":", maxSplits: 1)
        let scheme = parts.first.map { $0.lowercased() } ?? "https"
        guard scheme == "http" || scheme == "https", parts.count == 2 else { return scheme + ":" }
        let host = parts[1].drop { $0 == "/" }.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        // A policy cannot hold every host that an address can; a wider source is better than a broken policy.
        return PublicAddress.isHost(String(host)) && !host.hasPrefix("[") ? "\(scheme)://\(host)" : scheme + ":"
    }
}
