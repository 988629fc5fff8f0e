import Foundation
import StratusCloudModel
import StratusWebDAV
import Testing

@testable import StratusCloudServer

/// How much a `PROPFIND` makes the server write.
@Suite struct WebDAVListingTests {
    private static func wanting(_ names: String) -> String {
        #"<D:propfind xmlns:D="DAV:" xmlns:n="urn:n"><D:prop>\#(names)</D:prop></D:propfind>"#
    }

    private static func setting(_ value: String) -> String {
        #"<D:propertyupdate xmlns:D="DAV:" xmlns:n="urn:n"><D:set><D:prop><n:a>\#(value)</n:a></D:prop></D:set>"#
            + "</D:propertyupdate>"
    }

    @Test("a property that is asked for many times is written once") func repeatedNames() async throws {
        let dav = try await WebDAVCloud()
        #expect(try await dav.status("PUT", "file", body: "x") == 201)
        let value = String(repeating: "v", count: 10_000)
        #expect(try await dav.status("PROPPATCH", "file", body: Self.setting(value)) == 207)
        let names = String(repeating: "<n:a/>", count: 500)
        let answer = try await dav.send("PROPFIND", "", [("Depth", "1")], body: Self.wanting(names))
        #expect(answer.status == 207 && answer.body.contains(value))
        #expect(answer.body.utf8.count < 2 * value.utf8.count)
        await dav.stop()
    }

    @Test("an answer that is large although it has few resources is written piece by piece, and is whole")
    func largeProperties() async throws {
        let dav = try await WebDAVCloud()
        let value = String(repeating: "v", count: 15_000)
        // Less than the items that are read at a time.
        let count = 2 * WebDAVLimits.answerPieceSize / value.utf8.count + 1
        #expect(count < FileLimits.itemsPerPage)
        for number in 0..<count {
            #expect(try await dav.status("MKCOL", "\(number)") == 201)
            #expect(try await dav.status("PROPPATCH", "\(number)", body: Self.setting(value)) == 207)
        }
        let answer = try await dav.send("PROPFIND", "", [("Depth", "1")], body: Self.wanting("<n:a/>"))
        #expect(answer.status == 207 && answer["Transfer-Encoding"] == "chunked")
        #expect(answer.body.components(separatedBy: value).count == count + 1)
        #expect(answer.body.components(separatedBy: "<D:response>").count == count + 2)
        #expect(answer.body.hasSuffix(MultiStatus.end))
        await dav.stop()
    }

    @Test("a resource has few locks, however many clients share it") func locks() async throws {
        let dav = try await WebDAVCloud()
        let lock =
            #"<D:lockinfo xmlns:D="DAV:"><D:lockscope><D:shared/></D:lockscope><D:locktype><D:write/></D:locktype>"#
            + "</D:lockinfo>"
        for _ in 0..<WebDAVLimits.locksPerResource { #expect(try await dav.status("LOCK", "", body: lock) == 200) }
        #expect(try await dav.status("LOCK", "", body: lock) == 503)
        await dav.stop()
    }
}
