import StratusXML

/// Properties that clients set and the server only keeps: elements as XML, one for each name.
public struct DeadProperties: Hashable, Sendable {
    /// In the order in which they were first set.
    public private(set) var elements: [(name: XMLName, text: String)] = []

    /// - Parameter stored: What ``texts`` returned. What cannot be read is left out.
    public init(_ stored: [String]) {
        elements = stored.compactMap { text in
            let document = MultiStatus.start + text + MultiStatus.end
            guard let root = try? WebDAVBody.read(Array(document.utf8)), let element = root.elements.first else {
                return nil
            }
            return (element.name, text)
        }
    }

    /// As they are stored.
    public var texts: [String] { elements.map(\.text) }

    /// The element of a name.
    public subscript(name: XMLName) -> String? { elements.first { $0.name == name }?.text }

    /// Sets or removes a property.
    public mutating func apply(_ change: PropertyChange) {
        let index = elements.firstIndex { $0.name == change.name }
        switch (change, index) {
        case (.set(let element), let index?): elements[index].text = XMLText.whole(element)
        case (.set(let element), nil): elements.append((element.name, XMLText.whole(element)))
        case (.remove, let index?): elements.remove(at: index)
        case (.remove, nil): break
        }
    }

    /// Whether both have the same elements in the same order.
    public static func == (left: Self, right: Self) -> Bool { left.texts == right.texts }
    /// Feeds the elements.
    public func hash(into hasher: inout Hasher) { hasher.combine(texts) }
}
