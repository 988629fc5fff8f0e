import CloudModel
import CloudService
import CloudWire

/// The pages of a sign-in, as text.
enum SignInPages {
    /// The form.
    /// - Parameters:
    ///   - state: goes back with the form.
    ///   - email: what was typed before.
    ///   - problem: why the last attempt failed, in a sentence.
    static func form(_ request: SignInRequest, state: String, email: String = "", problem: String? = nil) -> String {
        let alert = problem.map { "<p class=\"alert\" id=\"problem\" role=\"alert\">\(HTML.escape($0))</p>" } ?? ""
        let invalid = problem == nil ? "" : " aria-describedby=\"problem\""
        // After a failure only the password has to be typed again.
        let (emailFocus, passwordFocus) = email.isEmpty ? (" autofocus", "") : ("", " autofocus")
        let content = """
            <h1>Sign in</h1>
            <p>to use <strong>\(HTML.escape(request.context.container.rawValue))</strong>\(environment(request))</p>
            <div aria-live="assertive">\(alert)</div>
            <form method="post" action="/sign-in">
            <input type="hidden" name="state" value="\(HTML.escape(state))">
            <label class="field" for="email">E-mail address</label>
            <input type="text" inputmode="email" id="email" name="email" value="\(HTML.escape(email))" required \
            maxlength="\(ServiceLimits.emailLength)" autocomplete="username" autocapitalize="none" \
            spellcheck="false"\(emailFocus)\(invalid)>
            <label class="field" for="password">Password</label>
            <input type="password" id="password" name="password" required autocomplete="current-password"\
            \(passwordFocus)\(invalid)>
            <label class="keep"><input type="checkbox" name="keep" value="on"> Keep me signed in</label>
            <label class="field" for="discoverable">Who can find me in this app, and see my name?</label>
            <select id="discoverable" name="discoverable">
            <option value="">As it was; at first, nobody</option>
            <option value="yes">Those who know my e-mail address or phone number</option>
            <option value="no">Nobody</option>
            </select>
            <div class="actions">
            <button type="button" class="quiet" id="cancel" hidden>Cancel</button>
            <button type="submit" id="submit">Sign in</button>
            </div>
            </form>
            """
        return page(title: "Sign in", origins: request.allowedOrigins, content: content)
    }

    /// Tells the window that opened the page, and closes.
    static func success(_ request: SignInRequest, webAuthToken: String) -> String {
        let content = """
            <h1>You are signed in</h1>
            <p role="status">You can close this window.</p>
            <p id="orphan" role="status" hidden>The app that asked is no longer open in another window, so it was not
            told. Go back to it and sign in again.</p>
            """
        return page(
            title: "Signed in", origins: request.allowedOrigins, webAuthToken: webAuthToken, content: content)
    }

    /// Nothing can be done here. Who opened the page is not known, so nobody is told.
    static func failure(title: String, explanation: String) -> String {
        page(
            title: title,
            content: """
                <h1>\(HTML.escape(title))</h1>
                <p role="alert">\(HTML.escape(explanation))</p>
                """)
    }

    /// What the server is, for people who open its address.
    static let home = page(
        title: "Welcome",
        content: """
            <h1>This is a Stratus cloud</h1>
            <p>Apps keep their records here. It speaks CloudKit Web Services under <strong>/database/1/</strong>.</p>
            """)

    /// - Parameter origins: which may receive the page's message; empty allows any, nil means that there is none.
    private static func page(
        title: String, origins: [String]? = nil, webAuthToken: String? = nil, content: String
    ) -> String {
        let receivers = origins.map { " data-origins=\"\(HTML.escape(json($0.isEmpty ? ["*"] : $0)))\"" } ?? ""
        let token = webAuthToken.map { " data-token=\"\(HTML.escape($0))\"" } ?? ""
        let script = origins == nil ? "" : "<script>\(SignInAssets.script)</script>"
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(HTML.escape(title)) – Stratus</title>
            <link rel="icon" href="data:,">
            <style>\(SignInAssets.style)</style>
            </head>
            <body\(receivers)\(token)>
            <main>
            <div class="brand"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M7 17.5a4.5 4.5 0 0 1-.6-8.96A6 6 0 \
            0 1 18 9.6a4 4 0 0 1-.5 7.9zM4 20.25h16v1.5H4z"/></svg><span>Stratus</span></div>
            \(content)
            </main>
            \(script)
            </body>
            </html>

            """
    }

    private static func json(_ texts: [String]) -> String {
        var writer = JSONWriter(capacity: 64)
        writer.beginArray()
        for text in texts { writer.string(text) }
        writer.endArray()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static func environment(_ request: SignInRequest) -> String {
        request.context.environment == .development ? " (development)" : ""
    }
}
