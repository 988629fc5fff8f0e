import FoundationEssentials
import StratusCCurl

/// A client that fetches one page after the other on one connection, as a follower of a change feed does.
final class PageReader {
    private let easy: OpaquePointer
    private let page = Page()
    private let headers: UnsafeMutablePointer<curl_slist>?

    /// Memory for a page, used again for the next.
    private final class Page {
        var bytes: [UInt8] = []
    }

    init() throws {
        guard let easy = curl_easy_init() else { throw BenchmarkError("libcurl has no memory") }
        self.easy = OpaquePointer(easy)
        headers = curl_slist_append(curl_slist_append(nil, "Content-Type: application/json"), "Expect:")
        _ = stratus_curl_set_list(easy, CURLOPT_HTTPHEADER, headers)
        _ = stratus_curl_set_long(easy, CURLOPT_TIMEOUT, 60)
        _ = stratus_curl_set_data_callback(easy, CURLOPT_WRITEFUNCTION, PageReader.append)
        _ = stratus_curl_set_pointer(easy, CURLOPT_WRITEDATA, Unmanaged.passUnretained(page).toOpaque())
    }

    deinit {
        curl_easy_cleanup(UnsafeMutableRawPointer(easy))
        curl_slist_free_all(headers)
    }

    /// Fetches a page: with a body it is posted.
    func fetch(_ url: String, body: String? = nil) throws -> [UInt8] {
        let easy = UnsafeMutableRawPointer(easy)
        page.bytes.removeAll(keepingCapacity: true)
        _ = stratus_curl_set_string(easy, CURLOPT_URL, url)
        if let body {
            _ = stratus_curl_set_long(easy, CURLOPT_POSTFIELDSIZE, body.utf8.count)
            _ = stratus_curl_set_string(easy, CURLOPT_COPYPOSTFIELDS, body)
        }
        let result = curl_easy_perform(easy)
        var status = 0
        _ = stratus_curl_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
        guard result == CURLE_OK, status == 200 else {
            throw BenchmarkError("\(url): \(status) \(String(cString: curl_easy_strerror(result)))")
        }
        return page.bytes
    }

    /// The sync token near the end of a page, and whether there is more.
    static func ending(of page: [UInt8]) throws -> (token: String, moreComing: Bool) {
        let end = String(decoding: page.suffix(512), as: UTF8.self)
        guard let mark = end.ranges(of: "\"syncToken\":\"").last else {
            throw BenchmarkError("a page has no token: \(end)")
        }
        return (String(end[mark.upperBound...].prefix { $0 != "\"" }), end.contains("\"moreComing\":true"))
    }

    private static let append:
        @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int =
            { bytes, size, count, context in
                guard let bytes, let context else { return 0 }
                Unmanaged<Page>.fromOpaque(context).takeUnretainedValue().bytes
                    .append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: size * count))
                return size * count
            }
}
