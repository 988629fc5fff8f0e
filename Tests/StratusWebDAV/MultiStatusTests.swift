import StratusWebDAV
import StratusXML
import Testing

@Suite struct MultiStatusTests {
    @Test func datesAreThoseOfTheRFCs() {
        #expect(HTTPDate.text(784_111_777_000) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.text(0) == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(HTTPDate.text(-1) == "Wed, 31 Dec 1969 23:59:59 GMT")
        #expect(HTTPDate.text(.max) == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(HTTPDate.text(.min) == "Mon, 01 Jan 0001 00:00:00 GMT")
        #expect(HTTPDate.timestamp(784_111_777_999) == "1994-11-06T08:49:37Z")
    }

    @Test func namesAreEscaped() throws {
        let text =
            MultiStatus.start
            + MultiStatus.response(
                "/dav/<&>",
                [.init(status: 200, elements: ["<D:displayname>\(XMLText.escaped("<&>\u{1}"))</D:displayname>"])])
            + MultiStatus.end
        let root = try WebDAVBody.read(Array(text.utf8))
        let response = try #require(root.first("response"))
        #expect(response.first("href")?.text == "/dav/<&>")
        #expect(response.first("propstat")?.first("prop")?.first("displayname")?.text == "<&>\u{FFFD}")
        #expect(response.first("propstat")?.first("status")?.text == "HTTP/1.1 200 OK")
    }

    @Test func errorsNameTheirCondition() throws {
        let body = MultiStatus.errorBody(WebDAVError(423, "it is <locked>", condition: "lock-token-submitted"))
        let root = try WebDAVBody.read(Array(body.utf8))
        #expect(root.name == .dav("error"))
        #expect(root.elements.first?.name == .dav("lock-token-submitted"))
    }
}
