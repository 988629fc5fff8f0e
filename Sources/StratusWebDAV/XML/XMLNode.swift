/// The name of an element or attribute: a namespace and a local name.
public struct XMLName: Hashable, Sendable {
    /// The namespace of WebDAV itself.
    public static let davNamespace = "DAV:"

    /// The namespace; empty for names in none.
    public let namespace: String
    /// The name in the namespace.
    public let local: String

    /// Makes a name.
    public init(namespace: String, local: String) {
        self.namespace = namespace
        self.local = local
    }

    /// A name of WebDAV itself.
    public static func dav(_ local: String) -> XMLName { XMLName(namespace: davNamespace, local: local) }
}

/// An element of a request's body.
public struct XMLElement: Hashable, Sendable {
    /// The name.
    public var name: XMLName
    /// The attributes, namespace declarations left out.
    public var attributes: [XMLAttribute] = []
    /// The content.
    public var children: [XMLNode] = []

    /// Makes an element without content.
    public init(name: XMLName) { self.name = name }

    /// The elements among the children.
    public var elements: [XMLElement] {
        children.compactMap { if case .element(let element) = $0 { element } else { nil } }
    }

    /// The first child element of WebDAV with a name.
    public func first(_ local: String) -> XMLElement? { elements.first { $0.name == .dav(local) } }

    /// The texts among the children.
    public var text: String {
        children.reduce(into: "") { text, child in if case .text(let part) = child { text += part } }
    }
}

/// An attribute of an element.
public struct XMLAttribute: Hashable, Sendable {
    /// The name.
    public var name: XMLName
    /// The value, its references replaced.
    public var value: String

    /// Makes an attribute.
    public init(name: XMLName, value: String) {
        self.name = name
        self.value = value
    }
}

/// A part of an element's content.
public enum XMLNode: Hashable, Sendable {
    case element(XMLElement)
    case text(String)
}
