import StratusSeeds
import StratusXML
import Testing

@Suite struct XMLDocumentReaderTests {
    private let limits = XMLLimits(size: 2_000, depth: 4, elements: 20, namespaceSize: 12)

    private func read(_ text: String) throws(XMLError) -> XMLElement {
        try XMLDocumentReader.read(Array(text.utf8), limits: limits)
    }

    private func dav(_ local: String) -> XMLName { XMLName(namespace: "DAV:", local: local) }

    @Test func namesHaveTheirNamespaces() throws {
        let root = try read(#"<a:x xmlns:a="DAV:"><y xmlns="urn:b" k="1" a:l="2"/><z/>text</a:x>"#)
        #expect(root.name == dav("x"))
        #expect(
            root.elements.map(\.name) == [XMLName(namespace: "urn:b", local: "y"), XMLName(namespace: "", local: "z")])
        #expect(root.elements[0].attributes.map(\.name) == [XMLName(namespace: "", local: "k"), dav("l")])
        #expect(root.text == "text")
    }

    @Test(arguments: [
        "", "<a>", "<a></b>", "plain", "<a/><b/>", "<a:b/>", #"<a xmlns:b=""/>"#, "<a>&unknown;</a>", "<a>\u{0}</a>",
    ])
    func malformedDocumentsAreRefused(text: String) {
        #expect(throws: XMLError.self) { try read(text) }
    }

    @Test(arguments: [
        #"<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>"#,
        #"<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>"#,
        #"<!DOCTYPE a SYSTEM "http://127.0.0.1:1/a.dtd"><a/>"#,
        #"<!DOCTYPE a [<!ENTITY a0 "ha"><!ENTITY a1 "&a0;&a0;"><!ENTITY a2 "&a1;&a1;">]><a>&a2;</a>"#,
        #"<!DOCTYPE a [<!ENTITY % p "x">%p;]><a/>"#,
    ])
    func documentTypesAreRefusedBeforeAnythingIsExpanded(text: String) {
        #expect {
            try read(text)
        } throws: { ($0 as? XMLError)?.kind == .documentType }
    }

    @Test func otherEncodingsOfADocumentTypeAreRefusedToo() {
        let text = #"<?xml version="1.0" encoding="UTF-16"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>"#
        var bytes: [UInt8] = [0xFE, 0xFF]
        for unit in text.utf16 { bytes += [UInt8(unit >> 8), UInt8(unit & 0xFF)] }
        #expect(throws: XMLError.self) { try XMLDocumentReader.read(bytes, limits: limits) }
    }

    @Test func depthIsBounded() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        }
        _ = try read(nested(limits.depth))
        #expect(throws: XMLError.self) { try read(nested(limits.depth + 1)) }
        #expect(throws: XMLError.self) { try read(nested(200)) }
    }

    @Test func elementsAreBounded() throws {
        func many(_ count: Int) -> String { "<r>" + String(repeating: "<a/>", count: count - 1) + "</r>" }
        _ = try read(many(limits.elements))
        #expect(throws: XMLError.self) { try read(many(limits.elements + 1)) }
    }

    /// Expat refuses them; if it did not, no part of one would become a local name, which is written as it is.
    @Test func lineFeedsInNamespacesAreNoPartOfNames() {
        let root = try? read(#"<a:b xmlns:a="x&#10;&gt;&lt;evil"/>"#)
        #expect(root == nil || root?.name.local == "b")
    }

    /// Answers repeat the namespace with every element.
    @Test func namespacesAreBounded() throws {
        func named(_ size: Int) -> String { "<a xmlns=\"\(String(repeating: "n", count: size))\"/>" }
        _ = try read(named(limits.namespaceSize))
        #expect(throws: XMLError.self) { try read(named(limits.namespaceSize + 1)) }
    }

    @Test func sizeIsBounded() throws {
        func long(_ size: Int) -> String { "<a>" + String(repeating: "x", count: size - 7) + "</a>" }
        #expect(try read(long(limits.size)).text.utf8.count == limits.size - 7)
        #expect(throws: XMLError(kind: .tooLarge, line: 1)) { try read(long(limits.size + 1)) }
    }

    @Test func elementsAndErrorsKnowTheirLines() throws {
        let root = try read("<a>\n <b/>\n\n <b\n k='1'/></a>")
        #expect(root.line == 1)
        #expect(root.elements.map(\.line) == [2, 4])
        #expect(root.elements[1].attribute("k") == "1")
        #expect(root.elements[0] == XMLElement(name: XMLName(namespace: "", local: "b")))
        #expect(throws: XMLError(kind: .malformed, line: 3)) { try read("<a>\n<b>\n</a>") }
        #expect(throws: XMLError(kind: .tooDeep, line: 5)) { try read("<a>\n<a>\n<a>\n<a>\n<a/></a></a></a></a>") }
    }

    /// Mutated documents never crash the reader, and never cost more than the limits.
    @Test func mutatedDocuments() {
        var random = SeededRandom(seed: Seed.draw())
        let document =
            #"<?xml version="1.0"?><D:propertyupdate xmlns:D="DAV:"><D:set>"#
            + #"<D:prop><x a="1">&lt;é</x></D:prop></D:set></D:propertyupdate>"#
        let seed = Array(document.utf8)
        for _ in 0..<3_000 {
            var bytes = seed
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: index)
                default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: index)
                }
            }
            _ = try? XMLDocumentReader.read(bytes, limits: limits)
        }
    }
}
