import StratusCloudModel
import StratusCloudService
import StratusWebDAV
import StratusXML

/// A resource as properties tell of it.
struct WebDAVResource {
    /// Nil for the root folder.
    let item: FileItem?
    let locks: [WebDAVLock]
    let now: Int64
    let room: FileRoom?

    private static let executable = XMLName(namespace: "http://apache.org/dav/props/", local: "executable")
    private static let usedBytes = XMLName.dav("quota-used-bytes")
    private static let availableBytes = XMLName.dav("quota-available-bytes")

    /// The live properties that a request for all of them gets.
    private static let common: [XMLName] = [
        .dav("resourcetype"), .dav("displayname"), .dav("creationdate"), .dav("getlastmodified"),
        .dav("getcontentlength"), .dav("getetag"), executable, .dav("supportedlock"), .dav("lockdiscovery"),
    ]

    /// All live properties.
    static let live = common + [usedBytes, availableBytes, .dav("getcontenttype")]

    /// The property that clients change although it is a live one.
    static func isChangeable(_ name: XMLName) -> Bool { name == executable }

    var isFolder: Bool { item.map { $0.kind == .folder } ?? true }

    /// The entity tag with its quotes: of a file's bytes, or of a link's target; nil for folders.
    static func entityTag(_ item: FileItem) -> String? {
        guard item.kind != .folder else { return nil }
        return "\"\(item.content?.fileChecksum ?? "\(item.id).\(item.contentVersion)")\""
    }

    /// Whether a request needs the account's room.
    static func needsRoom(_ request: PropertyRequest) -> Bool {
        switch request {
        case .all(let names), .some(let names): names.contains(usedBytes) || names.contains(availableBytes)
        case .names: false
        }
    }

    /// What a request is answered about the resource.
    func properties(for request: PropertyRequest) -> [MultiStatus.Properties] {
        let dead = item.map { DeadProperties($0.properties) } ?? DeadProperties([])
        switch request {
        case .names:
            let names = Self.live.filter { element($0) != nil } + dead.elements.map(\.name)
            return [.init(status: 200, elements: names.map { XMLText.element($0, content: "") })]
        case .all(let others):
            let wanted = Self.common + others.filter { !Self.common.contains($0) && dead[$0] == nil }
            return [.init(status: 200, elements: wanted.compactMap(element) + dead.texts)]
        case .some(let names):
            var found: [String] = []
            var missing: [String] = []
            for name in names {
                if let element = element(name) ?? dead[name] {
                    found.append(element)
                } else {
                    missing.append(XMLText.element(name, content: ""))
                }
            }
            return [.init(status: 200, elements: found), .init(status: 404, elements: missing)]
        }
    }

    /// A live property as XML; nil if the resource has none of this name.
    private func element(_ name: XMLName) -> String? {
        if name == Self.executable {
            guard let item, item.kind == .file else { return nil }
            return XMLText.element(name, content: item.isExecutable ? "T" : "F")
        }
        guard name.namespace == XMLName.davNamespace else { return nil }
        switch name.local {
        case "resourcetype": return isFolder ? "<D:resourcetype><D:collection/></D:resourcetype>" : "<D:resourcetype/>"
        case "supportedlock": return LockProperties.supported
        case "lockdiscovery": return LockProperties.discovery(locks, now: now)
        default: return content(of: name.local).map { XMLText.element(name, content: XMLText.escaped($0)) }
        }
    }

    private func content(of local: String) -> String? {
        switch local {
        case "displayname": item?.name
        case "creationdate": item.map { HTTPDate.timestamp($0.created) }
        case "getlastmodified": item.map { HTTPDate.text($0.modified) }
        case "getcontentlength": isFolder ? nil : item.map { String($0.size) }
        case "getetag": item.flatMap(Self.entityTag)
        // Of files programs know more by their names.
        case "getcontenttype": isFolder ? "httpd/unix-directory" : item?.kind == .link ? "inode/symlink" : nil
        case "quota-used-bytes": isFolder ? room.map { String($0.used) } : nil
        case "quota-available-bytes": isFolder ? room?.available.map { String($0) } : nil
        default: nil
        }
    }
}
