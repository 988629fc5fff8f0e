import StratusSeeds
import Testing

@testable import StratusWebDAV

@Suite struct XMLDocumentReaderTests {
    private func read(_ text: String) throws(WebDAVError) -> XMLElement {
        try XMLDocumentReader.read(Array(text.utf8))
    }

    @Test func namesHaveTheirNamespaces() throws {
        let root = try read(#"<a:x xmlns:a="DAV:"><y xmlns="urn:b" k="1" a:l="2"/><z/>text</a:x>"#)
        #expect(root.name == .dav("x"))
        #expect(
            root.elements.map(\.name) == [XMLName(namespace: "urn:b", local: "y"), XMLName(namespace: "", local: "z")])
        #expect(root.elements[0].attributes.map(\.name) == [XMLName(namespace: "", local: "k"), .dav("l")])
        #expect(root.text == "text")
    }

    @Test(arguments: [
        "", "<a>", "<a></b>", "plain", "<a/><b/>", "<a:b/>", #"<a xmlns:b=""/>"#, "<a>&unknown;</a>", "<a>\u{0}</a>",
    ])
    func malformedDocumentsAreRefused(text: String) {
        #expect(throws: WebDAVError.self) { try read(text) }
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
        } throws: { ($0 as? WebDAVError)?.reason.contains("document type") ?? false }
    }

    @Test func otherEncodingsOfADocumentTypeAreRefusedToo() {
        let text = #"<?xml version="1.0" encoding="UTF-16"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>"#
        var bytes: [UInt8] = [0xFE, 0xFF]
        for unit in text.utf16 { bytes += [UInt8(unit >> 8), UInt8(unit & 0xFF)] }
        #expect(throws: WebDAVError.self) { try XMLDocumentReader.read(bytes) }
    }

    @Test func depthIsBounded() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        }
        _ = try read(nested(WebDAVLimits.elementDepth))
        #expect(throws: WebDAVError.self) { try read(nested(WebDAVLimits.elementDepth + 1)) }
        #expect(throws: WebDAVError.self) { try read(nested(8_000)) }
    }

    @Test func elementsAreBounded() throws {
        func many(_ count: Int) -> String { "<r>" + String(repeating: "<a/>", count: count - 1) + "</r>" }
        _ = try read(many(WebDAVLimits.elements))
        #expect(throws: WebDAVError.self) { try read(many(WebDAVLimits.elements + 1)) }
    }

    /// Expat refuses them; if it did not, no part of one would become a local name, which is written as it is.
    @Test func lineFeedsInNamespacesAreNoPartOfNames() {
        let root = try? read(#"<a:b xmlns:a="x&#10;&gt;&lt;evil"/>"#)
        #expect(root == nil || root?.name.local == "b")
    }

    /// Answers repeat the namespace with every element.
    @Test func namespacesAreBounded() throws {
        func named(_ size: Int) -> String { "<a xmlns=\"\(String(repeating: "n", count: size))\"/>" }
        _ = try read(named(WebDAVLimits.namespaceSize))
        #expect(throws: WebDAVError.self) { try read(named(WebDAVLimits.namespaceSize + 1)) }
    }

    @Test func namesOfPropertiesAreBounded() throws {
        func request(_ count: Int) throws(WebDAVError) -> PropertyRequest {
            let names = String(repeating: "<n:a/>", count: count)
            let space = String(repeating: "n", count: 500)
            let text = "<propfind xmlns=\"DAV:\" xmlns:n=\"\(space)\"><prop>\(names)</prop></propfind>"
            return try PropertyRequest(Array(text.utf8))
        }
        _ = try request(31)
        #expect(throws: WebDAVError.self) { try request(32) }
    }

    @Test func sizeIsBounded() throws {
        func long(_ size: Int) -> String { "<a>" + String(repeating: "x", count: size - 7) + "</a>" }
        #expect(try read(long(WebDAVLimits.bodySize)).text.utf8.count == WebDAVLimits.bodySize - 7)
        #expect(throws: WebDAVError(413, "the body is too large")) { try read(long(WebDAVLimits.bodySize + 1)) }
    }

    /// What is written of an element is read as the same element.
    @Test func writtenElementsAreReadBack() throws {
        var random = SeededRandom(seed: Seed.draw())
        for _ in 0..<300 {
            let element = Self.element(depth: 0, &random)
            let text = #"<D:r xmlns:D="DAV:">"# + XMLText.whole(element) + "</D:r>"
            #expect(try read(text).elements.first == element)
        }
    }

    private static func element(depth: Int, _ random: inout SeededRandom) -> XMLElement {
        let namespaces = ["", "DAV:", "urn:x", "http://a.example/?b=\"<&>"]
        func name() -> XMLName {
            XMLName(
                namespace: namespaces.randomElement(using: &random) ?? "",
                local: ["a", "b", "höhe"].randomElement(using: &random) ?? "a")
        }
        var element = XMLElement(name: name())
        for number in 0..<Int.random(in: 0...2, using: &random) {
            var attribute = name()
            attribute = XMLName(namespace: attribute.namespace, local: "k\(number)")
            element.attributes.append(XMLAttribute(name: attribute, value: "v<>&\"' \n\t"))
        }
        var wasText = true
        for _ in 0..<(depth < 4 ? Int.random(in: 0...3, using: &random) : 0) {
            if wasText || Bool.random(using: &random) {
                element.children.append(.element(Self.element(depth: depth + 1, &random)))
                wasText = false
            } else {
                element.children.append(
                    .text(["x", "<&>", "\r\n", "é\u{10FFFF}", "]]>"].randomElement(using: &random) ?? "x"))
                wasText = true
            }
        }
        return element
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
            _ = try? XMLDocumentReader.read(bytes)
        }
    }
}
