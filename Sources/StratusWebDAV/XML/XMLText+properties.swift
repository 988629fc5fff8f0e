import StratusXML

/// Properties as XML.
extension XMLText {
    /// An element that declares its own namespace, so that it may stand anywhere.
    public static func element(_ name: XMLName, content: String) -> String {
        let tag = "\(prefix(name))\(name.local)"
        let start = "<\(tag)\(declaration(of: name))"
        return content.isEmpty ? start + "/>" : "\(start)>\(content)</\(tag)>"
    }

    /// The content of an element, where every element in it declares its own namespace.
    public static func content(of element: XMLElement) -> String {
        element.children.reduce(into: "") { text, child in
            switch child {
            case .text(let part): text += escaped(part)
            case .element(let inner): text += whole(inner)
            }
        }
    }

    /// An element with its attributes and content, which may stand anywhere in a document.
    public static func whole(_ element: XMLElement) -> String {
        let tag = "\(prefix(element.name))\(element.name.local)"
        var start = "<\(tag)\(declaration(of: element.name))"
        for (number, attribute) in element.attributes.enumerated() {
            start += self.attribute(attribute, number)
        }
        let content = content(of: element)
        return content.isEmpty ? start + "/>" : "\(start)>\(content)</\(tag)>"
    }

    private static func attribute(_ attribute: XMLAttribute, _ number: Int) -> String {
        let value = "=\"\(escaped(attribute.value))\""
        switch attribute.name.namespace {
        case "": return " \(attribute.name.local)\(value)"
        case "http://www.w3.org/XML/1998/namespace": return " xml:\(attribute.name.local)\(value)"
        case let namespace:
            return " xmlns:a\(number)=\"\(escaped(namespace))\" a\(number):\(attribute.name.local)\(value)"
        }
    }

    /// Documents declare `D` as the namespace of WebDAV.
    private static func prefix(_ name: XMLName) -> String {
        switch name.namespace {
        case XMLName.davNamespace: "D:"
        case "": ""
        default: "x:"
        }
    }

    private static func declaration(of name: XMLName) -> String {
        switch name.namespace {
        case XMLName.davNamespace, "": ""
        case let namespace: " xmlns:x=\"\(escaped(namespace))\""
        }
    }
}
