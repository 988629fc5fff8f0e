import StratusCloudService

/// The pages on which people create accounts, as text.
enum SignUpPages {
    /// The form that asks for the mail, where people may have an account made; empty elsewhere.
    /// - Parameter action: the path that takes it, escaped.
    static func offer(action: String, isOffered: Bool) -> String {
        guard isOffered else { return "" }
        return """
            <section aria-labelledby="sign-up-title"><h2 id="sign-up-title">New here?</h2>
            <details class="more"><summary id="signing-up">Create an account</summary>
            <p>We will send you an e-mail with a link to continue.</p>
            <form method="post" action="\(action)">
            <input type="hidden" name="action" value="sign-up">
            <label class="field" for="new-email">E-mail address</label>
            <input type="text" inputmode="email" id="new-email" name="email" required \
            maxlength="\(ServiceLimits.emailLength)" autocomplete="email" autocapitalize="none" spellcheck="false">
            <div class="actions"><button type="submit" id="sign-up">Send me the link</button></div>
            </form></details></section>
            """
    }

    /// The same whether a mail was sent or not.
    static let sent = Page.make(
        title: "Check your e-mail",
        content: """
            <h1>Check your e-mail</h1>
            <p id="sent" role="status">If an account can be created with this address, an e-mail with a link is on its way. You can
            close this page.</p>
            """)

    /// - Parameters:
    ///   - ticket: goes back with the form, escaped.
    ///   - problem: why the last attempt failed, in a sentence.
    static func form(_ ticket: SignUpTicket, text: String, names: (String, String) = ("", ""), problem: Notice? = nil)
        -> String
    {
        return Page.make(
            title: "Create your account",
            content: """
                <h1>Create your account</h1>
                <p>Your e-mail address is <strong id="who">\(HTML.escape(ticket.email))</strong>.</p>
                \(Notice.html(problem))
                <form method="post" action="/sign-up">
                <input type="hidden" name="ticket" value="\(HTML.escape(text))">
                <input type="text" name="username" value="\(HTML.escape(ticket.email))" autocomplete="username" hidden readonly>
                <label class="field" for="given">Given name</label>
                <input type="text" id="given" name="given" value="\(HTML.escape(names.0))" \
                maxlength="\(ServiceLimits.labelLength)" autocomplete="given-name" autofocus>
                <label class="field" for="family">Family name</label>
                <input type="text" id="family" name="family" value="\(HTML.escape(names.1))" \
                maxlength="\(ServiceLimits.labelLength)" autocomplete="family-name">
                <p>People you share with see your name.</p>
                \(NewPassword.fields("Password"))
                <div class="actions"><button type="submit" id="make">Create account</button></div>
                </form>
                """)
    }
}
