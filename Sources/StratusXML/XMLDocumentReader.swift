import StratusCExpat

/// Reads XML.
///
/// Documents with a document type declaration are refused when it begins. So there are no entities but those of XML
/// itself, and nothing is ever fetched or expanded.
public enum XMLDocumentReader {
    /// Returns the root element of a document.
    /// - Throws: ``XMLError`` for a document that is not well-formed, has a document type declaration, or exceeds the
    ///   limits.
    public static func read(_ bytes: [UInt8], limits: XMLLimits) throws(XMLError) -> XMLElement {
        guard bytes.count <= limits.size, let count = Int32(exactly: bytes.count) else {
            throw XMLError(kind: .tooLarge, line: 1)
        }
        guard let parser = XML_ParserCreateNS(nil, CChar(bitPattern: ReadingState.separator)) else {
            throw XMLError(kind: .outOfMemory, line: 1)
        }
        defer { XML_ParserFree(parser) }
        let state = ReadingState(parser: parser, limits: limits)
        return try withExtendedLifetime(state) { () throws(XMLError) in
            setHandlers(parser, state)
            let status = bytes.withUnsafeBytes { buffer in
                XML_Parse(parser, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), count, 1)
            }
            if let refusal = state.refusal { throw refusal }
            guard status == XML_STATUS_OK, let root = state.root else {
                throw XMLError(kind: .malformed, line: state.line)
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
            ReadingState.of(data)?.refuse(.documentType)
        }
    }
}

/// The part of a document that has been read.
private final class ReadingState {
    /// Stands between namespace and local name. No XML name contains it.
    static let separator = UInt8(ascii: "\n")

    private let parser: XML_Parser
    private let limits: XMLLimits
    private var open: [XMLElement] = []
    /// The text since the last tag.
    private var text: [UInt8] = []
    private var elements = 0
    private(set) var root: XMLElement?
    private(set) var refusal: XMLError?

    init(parser: XML_Parser, limits: XMLLimits) {
        self.parser = parser
        self.limits = limits
    }

    /// The line that the parser has reached.
    var line: Int { Int(XML_GetCurrentLineNumber(parser)) }

    static func of(_ data: UnsafeMutableRawPointer?) -> ReadingState? {
        data.map { Unmanaged<ReadingState>.fromOpaque($0).takeUnretainedValue() }
    }

    func refuse(_ kind: XMLError.Kind) {
        refusal = XMLError(kind: kind, line: line)
        XML_StopParser(parser, XML_Bool(XML_FALSE))
    }

    func begin(_ name: UnsafePointer<CChar>?, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?) {
        guard refusal == nil, let name else { return }
        addText()
        elements += 1
        guard open.count < limits.depth else { return refuse(.tooDeep) }
        guard elements <= limits.elements else { return refuse(.tooManyElements) }
        var element = XMLElement(name: Self.name(name), line: line)
        var next = attributes
        while let pair = next, let name = pair[0], let value = pair[1] {
            element.attributes.append(XMLAttribute(name: Self.name(name), value: String(cString: value)))
            next = pair + 2
        }
        let names = [element.name] + element.attributes.map(\.name)
        guard names.allSatisfy({ $0.namespace.utf8.count <= limits.namespaceSize }) else {
            return refuse(.longNamespace)
        }
        open.append(element)
    }

    func end() {
        guard refusal == nil else { return }
        addText()
        guard let element = open.popLast() else { return }
        if open.isEmpty {
            root = element
        } else {
            open[open.count - 1].children.append(.element(element))
        }
    }

    func add(_ text: UnsafePointer<CChar>?, _ length: Int32) {
        guard refusal == nil, let text, !open.isEmpty else { return }
        text.withMemoryRebound(to: UInt8.self, capacity: Int(length)) {
            self.text += UnsafeBufferPointer(start: $0, count: Int(length))
        }
    }

    /// Adds the text since the last tag. The parser reports each line by itself.
    private func addText() {
        guard !text.isEmpty, !open.isEmpty else { return }
        open[open.count - 1].children.append(.text(String(decoding: text, as: UTF8.self)))
        text = []
    }

    private static func name(_ text: UnsafePointer<CChar>) -> XMLName {
        let text = String(cString: text)
        // No local name contains the separator, but a namespace might.
        guard let end = text.utf8.lastIndex(of: separator) else { return XMLName(namespace: "", local: text) }
        return XMLName(namespace: String(text[..<end]), local: String(text[text.utf8.index(after: end)...]))
    }
}
