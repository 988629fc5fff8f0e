import StratusHTTPTransport

/// Pages as responses, with the headers that keep other sites out of them.
enum PageResponse {
    /// - Parameter formTarget: where a submitted form may lead beside this server, for `form-action`, which browsers
    ///   also apply to the redirect that answers the form.
    static func make(status: Int, _ html: String, formTarget: String? = nil) -> HTTPResponse {
        let formAction = formTarget.map { "'self' \($0)" } ?? "'self'"
        let policy = """
            default-src 'none'; style-src \(SignInAssets.styleHash); script-src \(SignInAssets.scriptHash) \(LinkFragment.scriptHash); \
            img-src data:; form-action \(formAction); frame-ancestors 'none'; base-uri 'none'
            """
        let headers = [("Content-Type", "text/html; charset=utf-8"), ("Content-Security-Policy", policy)]
        return HTTPResponse(status: status, headers: headers + privateHeaders, body: .bytes(Array(html.utf8)))
    }

    /// 303 to another address, of which neither this one nor any cache learns more.
    static func redirect(to location: String) -> HTTPResponse {
        HTTPResponse(status: 303, headers: [("Location", location)] + privateHeaders)
    }

    private static let privateHeaders = [
        ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"), ("Cross-Origin-Resource-Policy", "same-origin"),
        ("X-Robots-Tag", "noindex"),
    ]
}
