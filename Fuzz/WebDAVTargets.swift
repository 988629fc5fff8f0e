import StratusWebDAV
import StratusXML

/// Properties of WebDAV requests: what is read is written as XML that reads as the same.
struct WebDAVBodyTarget: FuzzTarget {
    let name = "webdav-body"

    var corpus: [[UInt8]] {
        [
            #"<D:propfind xmlns:D="DAV:"><D:prop><D:getetag/><x xmlns="urn:x"/></D:prop></D:propfind>"#,
            #"<propertyupdate xmlns="DAV:"><set><prop><a xmlns="urn:a" b="&lt;1">é<c/>&#13;</a></prop></set>"#
                + "</propertyupdate>",
            #"<propertyupdate xmlns="DAV:"><remove><prop><a xmlns=""/></prop></remove></propertyupdate>"#,
            #"<lockinfo xmlns="DAV:"><lockscope><shared/></lockscope><locktype><write/></locktype>"#
                + "<owner>a</owner></lockinfo>",
            #"<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>"#,
        ].map { Array($0.utf8) }
    }

    func run(_ input: [UInt8]) throws(BrokenPromise) -> Bool {
        let isRequest = (try? PropertyRequest(input)) != nil || (try? LockRequest(input)) != nil
        guard let changes = try? PropertyChange.read(input) else { return isRequest }
        for case .set(let element) in changes {
            let text = MultiStatus.start + XMLText.whole(element) + MultiStatus.end
            guard text.utf8.count <= WebDAVLimits.bodySize else { continue }
            guard let written = try? WebDAVBody.read(Array(text.utf8)).elements.first else {
                throw BrokenPromise(what: "what was written cannot be read: \(text)")
            }
            guard written == element else { throw BrokenPromise(what: "what was written reads as another: \(text)") }
        }
        return true
    }
}

/// The header `If`.
struct WebDAVIfTarget: FuzzTarget {
    let name = "webdav-if"

    var corpus: [[UInt8]] {
        [
            #"(<urn:uuid:1> ["e"]) (Not <DAV:no-lock>)"#, "</dav/a> (<urn:a>)(<urn:b>) <http://h/b> (Not [W/\"c\"])",
        ].map { Array($0.utf8) }
    }

    func run(_ input: [UInt8]) throws(BrokenPromise) -> Bool {
        guard let header = try? IfHeader(String(decoding: input, as: UTF8.self)) else { return false }
        guard !header.lists.isEmpty, header.lists.allSatisfy({ !$0.conditions.isEmpty }) else {
            throw BrokenPromise(what: "a list without a condition was accepted")
        }
        return true
    }
}
