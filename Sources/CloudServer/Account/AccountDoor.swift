import CloudModel
import CloudService
import HTTPTransport

/// Who stands before a page for people: the session that their browser brings, and how it begins.
struct AccountDoor: Sendable {
    let service: CloudService
    let address: PublicAddress

    func cookie(_ head: HTTPRequestHead) -> AccountCookie {
        AccountCookie(isSecure: address.base(for: head)?.hasPrefix("https:") ?? address.isSecure(head))
    }

    /// The person of the browser's session; nil if nobody is signed in there.
    func holder(_ head: HTTPRequestHead) async throws(CloudError) -> AccountHolder? {
        guard let session = cookie(head).value(in: head.headers) else { return nil }
        return try await service.accountHolder(session: session)
    }

    /// Signs in who filled in a ``SignInForm``.
    /// - Returns: the header that gives the browser its session.
    func enter(_ fields: FormFields, _ head: HTTPRequestHead) async throws(CloudError) -> (String, String) {
        let session = try await service.beginAccountSession(
            email: fields["email"] ?? "", password: fields["password"] ?? "", source: address.client(of: head))
        return cookie(head).setting(session)
    }
}

/// What a page says beside its content: what was done, or why it was not.
struct Notice {
    var text: String
    /// Whether it is about something that failed.
    var isProblem: Bool

    static func html(_ notice: Notice?) -> String {
        guard let notice else { return "" }
        let (style, role) = notice.isProblem ? ("alert", "alert") : ("done", "status")
        return "<p class=\"\(style)\" id=\"notice\" role=\"\(role)\">\(HTML.escape(notice.text))</p>"
    }
}

/// The form that begins an account's session.
enum SignInForm {
    /// - Parameters:
    ///   - action: the path that takes it, escaped.
    ///   - email: what was typed before.
    static func html(action: String, email: String) -> String {
        // After a failure only the password has to be typed again.
        let (emailFocus, passwordFocus) = email.isEmpty ? (" autofocus", "") : ("", " autofocus")
        return """
            <form method="post" action="\(action)">
            <input type="hidden" name="action" value="sign-in">
            <label class="field" for="email">E-mail address</label>
            <input type="text" inputmode="email" id="email" name="email" value="\(HTML.escape(email))" required \
            maxlength="\(ServiceLimits.emailLength)" autocomplete="username" autocapitalize="none" \
            spellcheck="false"\(emailFocus)>
            <label class="field" for="password">Password</label>
            <input type="password" id="password" name="password" required autocomplete="current-password"\
            \(passwordFocus)>
            <div class="actions"><button type="submit" id="submit">Sign in</button></div>
            </form>
            """
    }
}
