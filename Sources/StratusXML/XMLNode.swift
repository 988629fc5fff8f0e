/// The name of an element or attribute: a namespace and a local name.
public struct XMLName: Hashable, Sendable {
    /// The namespace; empty for names in none.
    public let namespace: String
    /// The name in the namespace.
    public let local: String

    /// Makes a name.
    public init(namespace: String, local: String) {
        self.namespace = namespace
        self.local = local
    }
}

/// An element of a document.
public struct XMLElement: Hashable, Sendable {
    /// The name.
    public var name: XMLName
    /// The attributes, namespace declarations left out.
    public var attributes: [XMLAttribute] = []
    /// The content.
    public var children: [XMLNode] = []
    /// The line of the document on which the element begins, from 1; 0 for an element that was not read. Equal elements
    /// may be on different lines.
    public var line: Int { place.line }

    private let place: Place

    /// A line, which makes no difference between elements.
    private struct Place: Hashable, Sendable {
        let line: Int

        static func == (left: Self, right: Self) -> Bool { true }
        func hash(into hasher: inout Hasher) {}
    }

    /// Makes an element without content.
    public init(name: XMLName, line: Int = 0) {
        self.name = name
        place = Place(line: line)
    }

    /// Returns the value of an attribute without a namespace.
    public func attribute(_ local: String) -> String? {
        attributes.first { $0.name.local == local && $0.name.namespace.isEmpty }?.value
    }

    /// The elements among the children.
    public var elements: [XMLElement] {
        children.compactMap { if case .element(let element) = $0 { element } else { nil } }
    }

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
