import StratusXML

/// The properties that a `PROPFIND` asks for. Each name occurs once, however often the request repeats it.
public enum PropertyRequest: Hashable, Sendable {
    /// All dead properties, the live ones of RFC 4918, and these besides.
    case all(including: [XMLName])
    /// The names of all properties.
    case names
    /// These properties.
    case some([XMLName])

    /// Reads the body of a request; an empty one asks for all properties.
    /// - Throws: ``WebDAVError`` with status 400.
    public init(_ body: [UInt8]) throws(WebDAVError) {
        guard !body.isEmpty else {
            self = .all(including: [])
            return
        }
        let root = try WebDAVBody.read(body)
        guard root.name == .dav("propfind") else { throw WebDAVError(400, "the body's element is not DAV: propfind") }
        if let properties = root.first("prop") {
            self = .some(try Self.names(in: properties))
        } else if root.first("propname") != nil {
            self = .names
        } else if root.first("allprop") != nil {
            self = .all(including: try root.first("include").map(Self.names) ?? [])
        } else {
            throw WebDAVError(400, "DAV: propfind has none of prop, propname and allprop")
        }
    }

    private static func names(in element: XMLElement) throws(WebDAVError) -> [XMLName] {
        var known: Set<XMLName> = []
        // A repeated name would make the answer repeat the value.
        let names = element.elements.map(\.name).filter { known.insert($0).inserted }
        let size = names.reduce(0) { $0 + XMLText.element($1, content: "").utf8.count }
        guard size <= WebDAVLimits.propertyNamesSize else {
            throw WebDAVError(400, "too many properties are asked for")
        }
        return names
    }
}

/// One change of a `PROPPATCH`.
public enum PropertyChange: Hashable, Sendable {
    /// The element is the property with its value.
    case set(XMLElement)
    case remove(XMLName)

    /// The name of the property.
    public var name: XMLName {
        switch self {
        case .set(let element): element.name
        case .remove(let name): name
        }
    }

    /// Reads the changes in a request's body, in their order.
    /// - Throws: ``WebDAVError`` with status 400.
    public static func read(_ body: [UInt8]) throws(WebDAVError) -> [PropertyChange] {
        let root = try WebDAVBody.read(body)
        guard root.name == .dav("propertyupdate") else {
            throw WebDAVError(400, "the body's element is not DAV: propertyupdate")
        }
        var changes: [PropertyChange] = []
        for part in root.elements where part.name == .dav("set") || part.name == .dav("remove") {
            let sets = part.name == .dav("set")
            for property in part.elements.filter({ $0.name == .dav("prop") }).flatMap(\.elements) {
                changes.append(sets ? .set(property) : .remove(property.name))
            }
        }
        guard !changes.isEmpty else { throw WebDAVError(400, "DAV: propertyupdate changes nothing") }
        return changes
    }
}
