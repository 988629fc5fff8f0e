import StratusXML

extension XMLName {
    /// The namespace of WebDAV itself.
    public static let davNamespace = "DAV:"

    /// A name of WebDAV itself.
    public static func dav(_ local: String) -> XMLName { XMLName(namespace: davNamespace, local: local) }
}

extension XMLElement {
    /// The first child element of WebDAV with a name.
    public func first(_ local: String) -> XMLElement? { elements.first { $0.name == .dav(local) } }
}
