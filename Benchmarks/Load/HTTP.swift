import StratusCCurl

/// Single requests, to set servers up and to look at their answers. The load itself comes from ``Wrk``.
struct HTTP {
    struct Response {
        let status: Int
        let body: [UInt8]
        /// Bytes of status line, headers and body.
        let size: Int
        let head: String
    }

    static func send(
        _ method: String, _ url: String, headers: [String] = [], body: String? = nil
    ) throws -> Response {
        guard let easy = curl_easy_init() else { throw BenchmarkError("libcurl has no memory") }
        defer { curl_easy_cleanup(easy) }
        var list: UnsafeMutablePointer<curl_slist>?
        for header in headers + ["Expect:"] { list = curl_slist_append(list, header) }
        defer { curl_slist_free_all(list) }
        let head = Sink()
        let content = Sink()
        _ = stratus_curl_set_string(easy, CURLOPT_URL, url)
        _ = stratus_curl_set_string(easy, CURLOPT_CUSTOMREQUEST, method)
        _ = stratus_curl_set_list(easy, CURLOPT_HTTPHEADER, list)
        _ = stratus_curl_set_long(easy, CURLOPT_TIMEOUT, 60)
        if method == "HEAD" { _ = stratus_curl_set_long(easy, CURLOPT_NOBODY, 1) }
        if let body {
            _ = stratus_curl_set_long(easy, CURLOPT_POSTFIELDSIZE, body.utf8.count)
            _ = stratus_curl_set_string(easy, CURLOPT_COPYPOSTFIELDS, body)
        }
        _ = stratus_curl_set_data_callback(easy, CURLOPT_WRITEFUNCTION, collect)
        _ = stratus_curl_set_pointer(easy, CURLOPT_WRITEDATA, Unmanaged.passUnretained(content).toOpaque())
        _ = stratus_curl_set_data_callback(easy, CURLOPT_HEADERFUNCTION, collect)
        _ = stratus_curl_set_pointer(easy, CURLOPT_HEADERDATA, Unmanaged.passUnretained(head).toOpaque())
        let result = withExtendedLifetime((head, content)) { curl_easy_perform(easy) }
        guard result == CURLE_OK else {
            throw BenchmarkError("\(method) \(url): \(String(cString: curl_easy_strerror(result)))")
        }
        var status = 0
        _ = stratus_curl_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
        return Response(
            status: status, body: content.bytes, size: head.bytes.count + content.bytes.count,
            head: String(decoding: head.bytes, as: UTF8.self))
    }

    /// Sends a request that must succeed.
    static func expect(
        _ method: String, _ url: String, headers: [String] = [], body: String? = nil
    ) throws -> Response {
        let response = try send(method, url, headers: headers, body: body)
        guard (200..<300).contains(response.status) else {
            let text = String(decoding: response.body.prefix(500), as: UTF8.self)
            throw BenchmarkError("\(method) \(url) is answered with \(response.status): \(text)")
        }
        return response
    }
}

private final class Sink {
    var bytes: [UInt8] = []
}

private func collect(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes, let context else { return 0 }
    let sink = Unmanaged<Sink>.fromOpaque(context).takeUnretainedValue()
    sink.bytes += UnsafeRawBufferPointer(start: bytes, count: size * count)
    return size * count
}
