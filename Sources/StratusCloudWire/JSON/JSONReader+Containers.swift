import StratusCloudModel

extension JSONReader {
    /// A member of an object; nil if it is absent, `null`, or this is no object.
    public func member(_ name: StaticString) -> JSONReader? {
        guard let value = document.member(name, of: index), document.nodes[value].kind != .null else { return nil }
        return JSONReader(document, value)
    }

    /// A member of an object, which may be `null`; nil if it is absent, or this is no object.
    public func memberOrNull(_ name: StaticString) -> JSONReader? {
        document.member(name, of: index).map { JSONReader(document, $0) }
    }

    /// A member that must be there and not `null`.
    public func required(_ name: StaticString) throws(CloudError) -> JSONReader {
        try requireObject()
        guard let member = member(name) else { throw refusal("has no \(name)") }
        return member
    }

    /// Refuses everything but an object.
    public func requireObject() throws(CloudError) {
        guard node.kind == .object else { throw refusal("must be an object") }
    }

    /// The elements of an array.
    public func elements() throws(CloudError) -> JSONElements {
        guard node.kind == .array else { throw refusal("must be an array") }
        return JSONElements(self)
    }

    /// The members of an object, in the order of the text.
    public func members() throws(CloudError) -> JSONMembers {
        try requireObject()
        return JSONMembers(self)
    }

    /// Whether this is a string of exactly these bytes.
    public func isString(_ text: StaticString) -> Bool {
        node.kind == .string && document.isString(node, equalTo: text)
    }
}

/// The elements of an array in a JSON text.
public struct JSONElements: Sequence, IteratorProtocol, Sendable {
    private let array: JSONReader
    private var index: Int
    private let end: Int

    init(_ array: JSONReader) {
        self.array = array
        index = array.index + 1
        end = Int(array.node.next)
    }

    /// The number of elements.
    public var underestimatedCount: Int { array.count }

    /// The next element.
    public mutating func next() -> JSONReader? {
        guard index < end else { return nil }
        let element = JSONReader(array.document, index)
        index = Int(element.node.next)
        return element
    }
}

/// The members of an object in a JSON text.
public struct JSONMembers: Sequence, IteratorProtocol, Sendable {
    private let object: JSONReader
    private var index: Int
    private let end: Int

    init(_ object: JSONReader) {
        self.object = object
        index = object.index + 1
        end = Int(object.node.next)
    }

    /// The number of members.
    public var underestimatedCount: Int { object.count }

    /// The next member.
    public mutating func next() -> (name: String, value: JSONReader)? {
        guard index < end else { return nil }
        let document = object.document
        let name = document.text(document.nodes[index])
        let value = JSONReader(document, index + 1)
        index = Int(value.node.next)
        return (name, value)
    }
}
