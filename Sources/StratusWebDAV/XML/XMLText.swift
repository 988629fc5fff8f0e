/// Writes XML.
public enum XMLText {
    /// The first line of every document.
    public static let declaration = #"<?xml version="1.0" encoding="utf-8"?>"# + "\n"

    /// Text with everything escaped that would be markup in an element or in an attribute between double quotes.
    /// Characters that XML cannot contain become U+FFFD.
    public static func escaped(_ text: String) -> String {
        guard !text.utf8.allSatisfy(isPlain) else { return text }
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count + 16)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "&": escaped += "&amp;"
            case "\"": escaped += "&quot;"
            // Parsers turn these into spaces or line feeds unless they are references.
            case "\r": escaped += "&#13;"
            case "\n": escaped += "&#10;"
            case "\t": escaped += "&#9;"
            case "\0"..<" ", "\u{FFFE}", "\u{FFFF}": escaped.unicodeScalars.append("\u{FFFD}")
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0..<0x20, UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"), UInt8(ascii: "\""), 0xEF: false
        default: true
        }
    }

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
