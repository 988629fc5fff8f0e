import Glibc
import StratusCCurl

/// Sends and fetches large bodies on a kept-alive connection, never copied, and takes the time of each.
final class Transfer {
    /// Bytes that libcurl handles at a time: the most that it allows on the way in.
    private static let bufferSize = 524_288

    private let easy: UnsafeMutableRawPointer
    private let bytes: UnsafeMutableRawBufferPointer
    private var sent: UInt64 = 0

    /// A client with a body of so many random bytes.
    init(size: Int) throws {
        guard let easy = curl_easy_init() else { throw BenchmarkError("libcurl has no memory") }
        self.easy = easy
        bytes = .allocate(byteCount: size, alignment: 16)
        var generator = SystemRandomNumberGenerator()
        for offset in stride(from: 0, to: size - 7, by: 8) {
            bytes.storeBytes(of: generator.next() as UInt64, toByteOffset: offset, as: UInt64.self)
        }
    }

    deinit {
        curl_easy_cleanup(easy)
        bytes.deallocate()
    }

    /// The answer to a body, and the seconds it took from the request to the answer's end.
    struct Sent {
        let body: String
        let seconds: Double
    }

    /// Sends the body, a little different each time, so that nobody has it already.
    func send(_ method: String, _ url: String) throws -> Sent {
        sent += 1
        bytes.storeBytes(of: sent, as: UInt64.self)
        curl_easy_reset(easy)
        _ = stratus_curl_set_long(easy, CURLOPT_POSTFIELDSIZE, bytes.count)
        _ = stratus_curl_set_pointer(easy, CURLOPT_POSTFIELDS, bytes.baseAddress)
        let answer = Answer(keepsBytes: true)
        let seconds = try perform(method, url, answer)
        return Sent(body: String(decoding: answer.bytes, as: UTF8.self), seconds: seconds)
    }

    /// Fetches a body of the size that is sent, and drops it.
    /// - Returns: the seconds it took.
    func fetch(_ url: String) throws -> Double {
        curl_easy_reset(easy)
        let answer = Answer(keepsBytes: false)
        let seconds = try perform("GET", url, answer)
        guard answer.count == bytes.count else {
            throw BenchmarkError("GET \(url) brought \(answer.count) bytes instead of \(bytes.count)")
        }
        return seconds
    }

    private func perform(_ method: String, _ url: String, _ answer: Answer) throws -> Double {
        var list: UnsafeMutablePointer<curl_slist>?
        for header in ["Expect:", "Content-Type: application/octet-stream"] { list = curl_slist_append(list, header) }
        defer { curl_slist_free_all(list) }
        _ = stratus_curl_set_string(easy, CURLOPT_URL, url)
        _ = stratus_curl_set_string(easy, CURLOPT_CUSTOMREQUEST, method)
        _ = stratus_curl_set_list(easy, CURLOPT_HTTPHEADER, list)
        _ = stratus_curl_set_long(easy, CURLOPT_TIMEOUT, 120)
        _ = stratus_curl_set_long(easy, CURLOPT_BUFFERSIZE, Self.bufferSize)
        _ = stratus_curl_set_long(easy, CURLOPT_UPLOAD_BUFFERSIZE, Self.bufferSize)
        _ = stratus_curl_set_data_callback(easy, CURLOPT_WRITEFUNCTION, take)
        _ = stratus_curl_set_pointer(easy, CURLOPT_WRITEDATA, Unmanaged.passUnretained(answer).toOpaque())
        let start = Clock.now()
        let result = withExtendedLifetime(answer) { curl_easy_perform(easy) }
        let seconds = Clock.seconds(since: start)
        guard result == CURLE_OK else {
            throw BenchmarkError("\(method) \(url): \(String(cString: curl_easy_strerror(result)))")
        }
        var status = 0
        _ = stratus_curl_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
        guard (200..<300).contains(status) else {
            let text = String(decoding: answer.bytes.prefix(500), as: UTF8.self)
            throw BenchmarkError("\(method) \(url) is answered with \(status): \(text)")
        }
        return seconds
    }
}

private final class Answer {
    let keepsBytes: Bool
    var bytes: [UInt8] = []
    var count = 0

    init(keepsBytes: Bool) { self.keepsBytes = keepsBytes }
}

private func take(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes, let context else { return 0 }
    let answer = Unmanaged<Answer>.fromOpaque(context).takeUnretainedValue()
    answer.count += size * count
    if answer.keepsBytes { answer.bytes += UnsafeRawBufferPointer(start: bytes, count: size * count) }
    return size * count
}
