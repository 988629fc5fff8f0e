import StratusCExpat

/// Reads the XML of a request's body.
///
/// Documents with a document type declaration are refused when it begins. So there are no entities but those of XML
/// itself, and nothing is ever fetched or expanded.
public enum XMLDocumentReader {
    /// Returns the root element of a document.
    /// - Throws: ``WebDAVError`` with status 400 for a document that is not well-formed, has a document type
    ///   declaration, or is larger or deeper than ``WebDAVLimits`` allow.
    public static func read(_ bytes: [UInt8]) throws(WebDAVError) -> XMLElement {
        guard bytes.count <= WebDAVLimits.bodySize else { throw WebDAVError(413, "the body is too large") }
        guard let parser = XML_ParserCreateNS(nil, CChar(bitPattern: ReadingState.separator)) else {
            throw WebDAVError(503, "the server has no memory for the request")
        }
        defer { XML_ParserFree(parser) }
        let state = ReadingState(parser: parser)
        return try withExtendedLifetime(state) { () throws(WebDAVError) in
            setHandlers(parser, state)
            let status = bytes.withUnsafeBytes { buffer in
                XML_Parse(parser, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(buffer.count), 1)
            }
            if let refusal = state.refusal { throw WebDAVError(400, refusal) }
            guard status == XML_STATUS_OK, let root = state.root else {
                throw WebDAVError(400, "the body is not well-formed XML")
            }
            return root
        }
    }

    private static func setHandlers(_ parser: XML_Parser, _ state: ReadingState) {
        XML_SetUserData(parser, Unmanaged.passUnretained(state).toOpaque())
        XML_SetElementHandler(
            parser, { ReadingState.of($0)?.begin($1, $2) },
            { data, _ in ReadingState.of(data)?.end() })
        XML_SetCharacterDataHandler(parser) { ReadingState.of($0)?.add($1, $2) }
        XML_SetStartDoctypeDeclHandler(parser) { data, _, _, _, _ in
            ReadingState.of(data)?.refuse("the body has a document type declaration, which is not allowed")
        }
    }
}

/// What has been read of a document.
private final class ReadingState {
    /// Stands between namespace and local name. No XML name contains it.
    static let separator = UInt8(ascii: "\n")

    private let parser: XML_Parser
    private var open: [XMLElement] = []
    private var elements = 0
    private(set) var root: XMLElement?
    private(set) var refusal: String?

    init(parser: XML_Parser) { self.parser = parser }

    static func of(_ data: UnsafeMutableRawPointer?) -> ReadingState? {
        data.map { Unmanaged<ReadingState>.fromOpaque($0).takeUnretainedValue() }
    }

    func refuse(_ reason: String) {
        refusal = reason
        XML_StopParser(parser, XML_Bool(XML_FALSE))
    }

    func begin(_ name: UnsafePointer<CChar>?, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?) {
        guard refusal == nil, let name else { return }
        elements += 1
        guard open.count < WebDAVLimits.elementDepth else { return refuse("the body's elements are nested too deeply") }
        guard elements <= WebDAVLimits.elements else { return refuse("the body has too many elements") }
        var element = XMLElement(name: Self.name(name))
        var next = attributes
        while let pair = next, let name = pair[0], let value = pair[1] {
            element.attributes.append(XMLAttribute(name: Self.name(name), value: String(cString: value)))
            next = pair + 2
        }
        let names = [element.name] + element.attributes.map(\.name)
        guard names.allSatisfy({ $0.namespace.utf8.count <= WebDAVLimits.namespaceSize }) else {
            return refuse("a namespace in the body is too long")
        }
        open.append(element)
    }

    func end() {
        guard refusal == nil, let element = open.popLast() else { return }
        if open.isEmpty {
            root = element
        } else {
            open[open.count - 1].children.append(.element(element))
        }
    }

    func add(_ text: UnsafePointer<CChar>?, _ length: Int32) {
        guard refusal == nil, let text, !open.isEmpty else { return }
        let part = text.withMemoryRebound(to: UInt8.self, capacity: Int(length)) {
            String(decoding: UnsafeBufferPointer(start: $0, count: Int(length)), as: UTF8.self)
        }
        let last = open.count - 1
        if case .text(let before)? = open[last].children.last {
            open[last].children[open[last].children.count - 1] = .text(before + part)
        } else {
            open[last].children.append(.text(part))
        }
    }

    private static func name(_ text: UnsafePointer<CChar>) -> XMLName {
        let text = String(cString: text)
        // No local name contains the separator, but a namespace might.
        guard let end = text.utf8.lastIndex(of: separator) else { return XMLName(namespace: "", local: text) }
        return XMLName(namespace: String(text[..<end]), local: String(text[text.utf8.index(after: end)...]))
    }
}
