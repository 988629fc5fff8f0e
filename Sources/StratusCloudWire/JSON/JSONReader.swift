import StratusCloudModel

/// A value in a JSON text, read on demand.
///
/// The text is checked as a whole when it is opened: RFC 8259 without liberties but for a byte order mark at its
/// beginning, which is skipped; valid UTF-8, at most ``JSONLimits/depth`` containers inside each other, no key twice in
/// one object (compared after escapes are resolved), no half surrogate pairs, no number beyond the range of a double.
/// `\u0000` is a character like any other; a bare zero byte is refused like all control characters. Every error is a
/// ``CloudError/Code/badRequest`` that names the place, as `operations[3].record` or as a byte, and never a value.
public struct JSONReader: Sendable {
    /// What a value is.
    public enum Kind: Sendable {
        case null, boolean, number, string, array, object
    }

    let document: JSONDocument
    let index: Int

    /// Opens a text. An empty one reads as `{}`. `limit` is in bytes.
    public init(_ text: [UInt8], limit: Int = JSONLimits.textSize) throws(CloudError) {
        guard text.count <= min(limit, JSONLimits.greatestTextSize) else {
            throw CloudError(.badRequest, "The body has \(text.count) bytes; the limit is \(limit).")
        }
        let text = text.isEmpty || text == JSONText.byteOrderMark ? Array("{}".utf8) : text
        do {
            document = JSONDocument(bytes: text, nodes: try JSONParser.parse(text))
        } catch {
            throw error.refusal
        }
        index = 0
    }

    init(_ document: JSONDocument, _ index: Int) {
        self.document = document
        self.index = index
    }

    var node: JSONNode { document.nodes[index] }

    /// What the value is.
    public var kind: Kind {
        switch node.kind {
        case .null: .null
        case .no, .yes: .boolean
        case .integer, .decimal: .number
        case .string: .string
        case .array: .array
        case .object: .object
        }
    }

    /// Whether the value is `null`.
    public var isNull: Bool { node.kind == .null }

    /// Elements of an array or members of an object; 0 for everything else.
    public var count: Int {
        switch node.kind {
        case .array, .object: Int(node.length)
        default: 0
        }
    }

    /// A refusal of this value; `what` continues the sentence that begins with its path, such as `must be a string`.
    public func refusal(_ what: String) -> CloudError {
        CloudError(.badRequest, "\(path) \(what).")
    }

    // MARK: Scalars

    /// The text of a string.
    public func string() throws(CloudError) -> String {
        let node = node
        guard node.kind == .string else { throw refusal("must be a string") }
        return document.text(node)
    }

    /// `true` or `false`; 1 and 0 are taken for them.
    public func boolean() throws(CloudError) -> Bool {
        let node = node
        switch node.kind {
        case .yes: return true
        case .no: return false
        case .integer where document.int64(node) == 1: return true
        case .integer where document.int64(node) == 0: return false
        default: throw refusal("must be true or false")
        }
    }

    /// A number without fraction and exponent that fits 64 bits. `-0` is 0.
    public func integer() throws(CloudError) -> Int64 {
        let node = node
        if node.kind == .integer, let value = document.int64(node) { return value }
        throw integerRefusal
    }

    /// The value as ``integer()`` gives it; nil if it is anything else.
    public var integerIfExact: Int64? {
        let node = node
        return node.kind == .integer ? document.int64(node) : nil
    }

    /// Any number, as the nearest double. `-0.0` keeps its sign.
    public func double() throws(CloudError) -> Double {
        let node = node
        guard node.kind == .integer || node.kind == .decimal else { throw refusal("must be a number") }
        return document.double(node)
    }

    /// Why the value is not an integer.
    var integerRefusal: CloudError {
        let isWhole = document.bytes[node.range].allSatisfy {
            UInt8(ascii: "-")...UInt8(ascii: "9") ~= $0 && $0 != 0x2E
        }
        return refusal(
            node.kind == .decimal && isWhole ? "is an integer of more than 64 bits" : "must be an integer")
    }
}

/// A checked text and its nodes.
final class JSONDocument: Sendable {
    let bytes: [UInt8]
    let nodes: [JSONNode]

    init(bytes: [UInt8], nodes: [JSONNode]) {
        self.bytes = bytes
        self.nodes = nodes
    }

    func text(_ node: JSONNode) -> String {
        node.isEscaped
            ? String(decoding: JSONText.unescaped(bytes[node.range]), as: UTF8.self)
            : bytes.withUnsafeBufferPointer {
                String(decoding: UnsafeBufferPointer(rebasing: $0[node.range]), as: UTF8.self)
            }
    }

    func int64(_ node: JSONNode) -> Int64? {
        let text = bytes
        return JSONNumber.int64(text.span, node.range)
    }

    /// Whether a number is written without fraction and exponent.
    func isWholeNumber(_ node: JSONNode) -> Bool {
        bytes[node.range].allSatisfy { $0 == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    func double(_ node: JSONNode) -> Double {
        let text = bytes
        return JSONNumber.double(text.span, node.range)
    }

    /// Where a member's value is; nil if it is absent, or there is no object.
    func member(_ name: StaticString, of object: Int) -> Int? {
        guard nodes[object].kind == .object else { return nil }
        var key = object + 1
        while key < nodes[object].next {
            if isString(nodes[key], equalTo: name) { return key + 1 }
            key = Int(nodes[key + 1].next)
        }
        return nil
    }

    func isString(_ node: JSONNode, equalTo name: StaticString) -> Bool {
        if node.isEscaped { return text(node).utf8.elementsEqual(name.description.utf8) }
        let count = name.utf8CodeUnitCount
        guard Int(node.length) == count else { return false }
        let start = Int(node.offset)
        for index in 0..<count where bytes[start &+ index] != name.utf8Start[index] { return false }
        return true
    }
}
