import StratusCCurl

/// One message on its way through libcurl, on one thread.
final class SMTPTransfer {
    private let message: SMTPMessage
    private var sent = 0

    init(_ message: SMTPMessage) { self.message = message }

    /// Blocks until the server has taken the message.
    /// - Returns: why it did not; nil if it did.
    func perform(_ options: SMTPOptions) -> SMTPError? {
        guard CurlLibrary.status == CURLE_OK, let handle = curl_easy_init() else {
            return SMTPError(.unavailable, "no memory for a message")
        }
        defer { curl_easy_cleanup(handle) }
        var recipients: UnsafeMutablePointer<curl_slist>?
        recipients = curl_slist_append(recipients, "<\(message.recipient)>")
        defer { curl_slist_free_all(recipients) }
        let reason = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
        reason.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        defer { reason.deallocate() }

        let host = options.host.contains(":") ? "[\(options.host)]" : options.host
        let scheme = options.security == .tls ? "smtps" : "smtp"
        stratus_curl_set_string(handle, CURLOPT_URL, "\(scheme)://\(host):\(options.port)/\(options.greeting)")
        stratus_curl_set_string(handle, CURLOPT_PROTOCOLS_STR, "smtp,smtps")
        stratus_curl_set_long(handle, CURLOPT_NOSIGNAL, 1)
        stratus_curl_set_string(handle, CURLOPT_NOPROXY, "*")
        let usesTLS = options.security != .none
        stratus_curl_set_long(
            handle, CURLOPT_USE_SSL, usesTLS ? Int(CURLUSESSL_ALL.rawValue) : Int(CURLUSESSL_NONE.rawValue))
        if let file = options.certificateAuthorityFile { stratus_curl_set_string(handle, CURLOPT_CAINFO, file) }
        if let user = options.user {
            stratus_curl_set_string(handle, CURLOPT_USERNAME, user)
            stratus_curl_set_string(handle, CURLOPT_PASSWORD, options.password ?? "")
        }
        stratus_curl_set_long(
            handle, CURLOPT_CONNECTTIMEOUT_MS, EasyOptions.milliseconds(options.connectTimeout))
        stratus_curl_set_long(handle, CURLOPT_TIMEOUT_MS, EasyOptions.milliseconds(options.timeout))
        stratus_curl_set_string(handle, CURLOPT_MAIL_FROM, "<\(message.sender)>")
        stratus_curl_set_list(handle, CURLOPT_MAIL_RCPT, recipients)
        stratus_curl_set_long(handle, CURLOPT_UPLOAD, 1)
        stratus_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, reason)
        // The transfer is over before this call ends.
        stratus_curl_set_pointer(handle, CURLOPT_READDATA, Unmanaged.passUnretained(self).toOpaque())
        stratus_curl_set_data_callback(handle, CURLOPT_READFUNCTION, readMessage)
        let code = curl_easy_perform(handle)
        guard code != CURLE_OK else { return nil }
        var reply = 0
        stratus_curl_get_long(handle, CURLINFO_RESPONSE_CODE, &reply)
        let words = String(cString: reason)
        return SMTPError(
            Self.code(reply: reply, code, isOfRecipient: words.hasPrefix(Self.recipientRefused)),
            words.isEmpty ? String(cString: curl_easy_strerror(code)) : words)
    }

    /// What libcurl says when the server does not take a recipient; its code does not tell commands apart.
    private static let recipientRefused = "RCPT failed"

    /// Replies of the 55x are about the message or its recipient, and so are those of the 50x to a recipient's address;
    /// others of the fives (530, 535) about who hands it in.
    private static func code(reply: Int, _ code: CURLcode, isOfRecipient: Bool) -> SMTPError.Code {
        if code == CURLE_LOGIN_DENIED { return .unavailable }
        switch reply {
        case 550...559: return .refused
        case 500...504 where isOfRecipient: return .refused
        case 450...459: return .later
        default: return .unavailable
        }
    }

    fileprivate func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, message.content.count - sent)
        message.content.withUnsafeBytes {
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[sent..<sent + count]))
        }
        sent += count
        return count
    }
}

private func readMessage(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return Int(CURL_READFUNC_ABORT) }
    let transfer = Unmanaged<SMTPTransfer>.fromOpaque(context).takeUnretainedValue()
    return transfer.read(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
}
