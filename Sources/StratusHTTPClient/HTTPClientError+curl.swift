import StratusCCurl

extension HTTPClientError {
    /// libcurl's failure `curl`, with its words in `detail` if it had any.
    init(curl: CURLcode, detail: String) {
        let words = detail.isEmpty ? String(cString: curl_easy_strerror(curl)) : detail
        self.init(Self.code(of: curl), words)
    }

    private static func code(of curl: CURLcode) -> Code {
        switch curl {
        case CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .cannotConnect
        case CURLE_OPERATION_TIMEDOUT: .timedOut
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_ENGINE_INITFAILED,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            .tls
        case CURLE_FILESIZE_EXCEEDED: .tooLarge
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: .invalidRequest
        default: .other
        }
    }
}
