import StratusCCurl

/// libcurl as a whole, made ready once for the process.
enum CurlLibrary {
    static let status = curl_global_init(Int(CURL_GLOBAL_ALL))
}

/// Sets the options of a libcurl handle.
struct EasyOptions {
    let handle: UnsafeMutableRawPointer

    func apply(_ options: HTTPClientOptions, to request: HTTPClientRequest) {
        set(CURLOPT_URL, request.url)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        // Signals belong to the process, not to a library's name resolver.
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        // A second request waits for the first connection rather than opens another, if HTTP/2 can carry both.
        if request.url.hasPrefix("https:") { set(CURLOPT_PIPEWAIT, 1) }
        set(CURLOPT_ACCEPT_ENCODING, "")
        set(CURLOPT_USERAGENT, options.userAgent)
        set(CURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(options.connectTimeout))
        set(CURLOPT_TIMEOUT_MS, Self.milliseconds(request.timeout ?? options.timeout))
        stratus_curl_set_offset(handle, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(options.maximumResponseLength))
        if let path = options.unixSocketPath { set(CURLOPT_UNIX_SOCKET_PATH, path) }
        if let file = options.certificateAuthorityFile { set(CURLOPT_CAINFO, file) }
        if let proxy = options.proxy {
            set(CURLOPT_PROXY, proxy)
            set(CURLOPT_NOPROXY, "")
        } else if !options.usesEnvironmentProxy {
            set(CURLOPT_NOPROXY, "*")
        }
        apply(method: request.method, bodyLength: request.hasBody ? request.body.count : nil)
    }

    private func apply(method: String, bodyLength: Int?) {
        if let bodyLength {
            set(CURLOPT_UPLOAD, 1)
            stratus_curl_set_offset(handle, CURLOPT_INFILESIZE_LARGE, curl_off_t(bodyLength))
        } else if method == "HEAD" {
            set(CURLOPT_NOBODY, 1)
        }
        set(CURLOPT_CUSTOMREQUEST, method)
    }

    private func set(_ option: CURLoption, _ value: Int) { stratus_curl_set_long(handle, option, value) }

    private func set(_ option: CURLoption, _ value: String) { stratus_curl_set_string(handle, option, value) }

    /// At least one, since libcurl takes zero for "no limit".
    static func milliseconds(_ duration: Duration) -> Int {
        let (seconds, attoseconds) = duration.components
        let bounded = min(max(seconds, 0), 1_000_000)
        return max(1, Int(bounded) * 1_000 + Int(attoseconds / 1_000_000_000_000_000))
    }
}
