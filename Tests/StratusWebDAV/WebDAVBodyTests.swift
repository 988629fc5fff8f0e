import StratusSeeds
import StratusWebDAV
import StratusXML
import Testing

@Suite struct WebDAVBodyTests {
    private func read(_ text: String) throws(WebDAVError) -> XMLElement {
        try WebDAVBody.read(Array(text.utf8))
    }

    @Test func refusalsHaveTheirStatus() {
        #expect(throws: WebDAVError(400, "the body is not well-formed XML")) { try read("<a>") }
        #expect(throws: WebDAVError(400, "the body has a document type declaration, which is not allowed")) {
            try read(#"<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>"#)
        }
    }

    @Test func depthIsBounded() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        }
        _ = try read(nested(WebDAVLimits.elementDepth))
        #expect(throws: WebDAVError(400, "the body has elements that are nested too deeply")) {
            try read(nested(WebDAVLimits.elementDepth + 1))
        }
        #expect(throws: WebDAVError.self) { try read(nested(8_000)) }
    }

    @Test func elementsAreBounded() throws {
        func many(_ count: Int) -> String { "<r>" + String(repeating: "<a/>", count: count - 1) + "</r>" }
        _ = try read(many(WebDAVLimits.elements))
        #expect(throws: WebDAVError.self) { try read(many(WebDAVLimits.elements + 1)) }
    }

    /// Answers repeat the namespace with every element.
    @Test func namespacesAreBounded() throws {
        func named(_ size: Int) -> String { "<a xmlns=\"\(String(repeating: "n", count: size))\"/>" }
        _ = try read(named(WebDAVLimits.namespaceSize))
        #expect(throws: WebDAVError.self) { try read(named(WebDAVLimits.namespaceSize + 1)) }
    }

    @Test func sizeIsBounded() throws {
        func long(_ size: Int) -> String { "<a>" + String(repeating: "x", count: size - 7) + "</a>" }
        #expect(try read(long(WebDAVLimits.bodySize)).text.utf8.count == WebDAVLimits.bodySize - 7)
        #expect(throws: WebDAVError(413, "the body is too large")) { try read(long(WebDAVLimits.bodySize + 1)) }
    }

    @Test func namesOfPropertiesAreBounded() throws {
        func request(_ count: Int) throws(WebDAVError) -> PropertyRequest {
            let names = (0..<count).map { "<n:a\(10 + $0)/>" }.joined()
            let space = String(repeating: "n", count: 500)
            let text = "<propfind xmlns=\"DAV:\" xmlns:n=\"\(space)\"><prop>\(names)</prop></propfind>"
            return try PropertyRequest(Array(text.utf8))
        }
        _ = try request(31)
        #expect(throws: WebDAVError.self) { try request(32) }
    }

    @Test func repeatedNamesOfPropertiesCountOnce() throws {
        let names = String(repeating: "<a/><b xmlns='urn:x'/>", count: 300)
        let some = try PropertyRequest(Array("<propfind xmlns='DAV:'><prop>\(names)</prop></propfind>".utf8))
        #expect(some == .some([.dav("a"), XMLName(namespace: "urn:x", local: "b")]))
        let all = try PropertyRequest(
            Array("<propfind xmlns='DAV:'><allprop/><include>\(names)</include></propfind>".utf8))
        #expect(all == .all(including: [.dav("a"), XMLName(namespace: "urn:x", local: "b")]))
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
}
