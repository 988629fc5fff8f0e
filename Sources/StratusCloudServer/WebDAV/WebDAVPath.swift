import StratusCloudModel
import StratusCloudService
import StratusWebDAV

/// The path of a resource behind `/dav/<container>/`.
struct WebDAVPath: Hashable {
    let container: ContainerIdentifier
    /// The names on the way from the root folder.
    let names: [String]
    /// What the names are compared by.
    let keys: [String]

    /// - Throws: `badRequest` for names that no file can have.
    init(container: ContainerIdentifier, names: [String]) throws(CloudError) {
        self.container = container
        self.names = names
        var keys: [String] = []
        for name in names {
            try FileName.check(name)
            keys.append(try FileNameKey.key(name))
        }
        self.keys = keys
    }

    /// Reads an address as `Destination` and `If` have it: an absolute URI or the path of one.
    /// - Throws: ``WebDAVError``: 400 for what is no address, 502 for another server or container.
    init(
        _ address: String, base: String?, container: ContainerIdentifier
    ) throws(WebDAVError) {
        var rest = address.utf8[...]
        if rest.first != UInt8(ascii: "/") {
            guard let colon = address.range(ofScheme: ["http://", "https://"]) else {
                throw WebDAVError(400, "an address is neither an absolute URI nor the path of one")
            }
            rest = address[colon...].utf8
            let authority = rest.prefix { $0 != UInt8(ascii: "/") }
            let own = (base?.split(separator: "/", maxSplits: 1).last).map { $0.drop { $0 == "/" } }
            guard let own, String(authority)?.lowercased() == own.lowercased() else {
                throw WebDAVError(502, "an address is one of another server")
            }
            rest = rest.dropFirst(authority.count)
        }
        let path = rest.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        var names: [String] = []
        for segment in path.split(separator: UInt8(ascii: "/")) {
            guard let name = PercentEncoding.decode(segment) else {
                throw WebDAVError(400, "an address is not percent-encoded UTF-8")
            }
            names.append(name)
        }
        guard names.starts(with: ["dav", container.rawValue]) else {
            throw WebDAVError(502, "an address is outside of the container")
        }
        do {
            try self.init(container: container, names: Array(names.dropFirst(2)))
        } catch {
            throw WebDAVError(400, error.reason)
        }
    }

    /// The path of the folder around the resource, as keys; nil for the root folder.
    var parentKeys: [String]? { keys.isEmpty ? nil : Array(keys.dropLast()) }

    /// The resource's address, percent-encoded.
    func address(isFolder: Bool) -> String {
        let root = "/dav/\(PercentEncoding.encode(container.rawValue))"
        return names.reduce(into: root) { $0 += "/" + PercentEncoding.encode($1) } + (isFolder ? "/" : "")
    }
}

extension String {
    /// The index behind one of some schemes that the text begins with, whatever their case.
    fileprivate func range(ofScheme schemes: [String]) -> String.Index? {
        for scheme in schemes where prefix(scheme.count).lowercased() == scheme {
            return index(startIndex, offsetBy: scheme.count)
        }
        return nil
    }
}
