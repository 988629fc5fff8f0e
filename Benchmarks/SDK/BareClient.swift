import StratusCCurl

/// Posts bytes over one connection with nothing but libcurl, and reads the answers without looking at them.
final class BareClient {
    private let easy: UnsafeMutableRawPointer
    private let headers: UnsafeMutablePointer<curl_slist>?
    /// Bytes of all answers.
    private(set) var received = 0

    init() throws {
        guard let easy = curl_easy_init() else { throw BenchmarkError("libcurl has no memory") }
        self.easy = easy
        headers = curl_slist_append(curl_slist_append(nil, "Expect:"), "Content-Type: application/json")
    }

    deinit {
        curl_slist_free_all(headers)
        curl_easy_cleanup(easy)
    }

    func post(_ exchange: RecordingTransport.Exchange) throws {
        let answer = Answer()
        _ = stratus_curl_set_string(easy, CURLOPT_URL, exchange.url)
        _ = stratus_curl_set_list(easy, CURLOPT_HTTPHEADER, headers)
        _ = stratus_curl_set_long(easy, CURLOPT_POST, 1)
        _ = stratus_curl_set_long(easy, CURLOPT_POSTFIELDSIZE, exchange.body.count)
        _ = stratus_curl_set_data_callback(easy, CURLOPT_WRITEFUNCTION, take)
        _ = stratus_curl_set_pointer(easy, CURLOPT_WRITEDATA, Unmanaged.passUnretained(answer).toOpaque())
        let result = exchange.body.withUnsafeBytes { body in
            _ = stratus_curl_set_pointer(easy, CURLOPT_POSTFIELDS, UnsafeMutableRawPointer(mutating: body.baseAddress))
            return withExtendedLifetime(answer) { curl_easy_perform(easy) }
        }
        guard result == CURLE_OK else { throw BenchmarkError(String(cString: curl_easy_strerror(result))) }
        var status = 0
        _ = stratus_curl_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
        guard status == 200 else { throw BenchmarkError("\(exchange.url) is answered with \(status)") }
        guard answer.count > 0 else { throw BenchmarkError("\(exchange.url) has no answer") }
        received += answer.count
    }
}

private final class Answer { var count = 0 }

private func take(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return 0 }
    Unmanaged<Answer>.fromOpaque(context).takeUnretainedValue().count += size * count
    return size * count
}
