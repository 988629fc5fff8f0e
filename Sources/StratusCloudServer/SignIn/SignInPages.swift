import StratusCloudModel
import StratusCloudService
import StratusCloudWire

/// The pages of a sign-in, as text.
enum SignInPages {
    /// The form.
    /// - Parameters:
    ///   - state: goes back with the form.
    ///   - device: the program of the person's machine that asked; goes back with the form.
    ///   - email: what was typed before.
    ///   - problem: why the last attempt failed, in a sentence.
    static func form(
        _ request: SignInRequest, state: String, device: DeviceSignIn? = nil, email: String = "", problem: String? = nil
    ) -> String {
        let alert = problem.map { "<p class=\"alert\" id=\"problem\" role=\"alert\">\(HTML.escape($0))</p>" } ?? ""
        let invalid = problem == nil ? "" : " aria-describedby=\"problem\""
        // After a failure only the password has to be typed again.
        let (emailFocus, passwordFocus) = email.isEmpty ? (" autofocus", "") : ("", " autofocus")
        let content = """
            <h1>Sign in</h1>
            <p>Sign in to use <strong>\(HTML.escape(request.context.container.rawValue))</strong>\
            \(environment(request)).\(program(device))</p>
            <div aria-live="assertive">\(alert)</div>
            <form method="post" action="/sign-in">
            <input type="hidden" name="state" value="\(HTML.escape(state))">\(hidden(device))
            <label class="field" for="email">E-mail address</label>
            <input type="text" inputmode="email" id="email" name="email" value="\(HTML.escape(email))" required \
            maxlength="\(ServiceLimits.emailLength)" autocomplete="username" autocapitalize="none" \
            spellcheck="false"\(emailFocus)\(invalid)>
            <label class="field" for="password">Password</label>
            <input type="password" id="password" name="password" required autocomplete="current-password"\
            \(passwordFocus)\(invalid)>
            \(device == nil ? keep : "")
            <label class="field" for="discoverable">Who can find me in this app and see my name?</label>
            <select id="discoverable" name="discoverable">
            <option value="">Keep my current setting (nobody by default)</option>
            <option value="yes">People who know my e-mail address or phone number</option>
            <option value="no">Nobody</option>
            </select>
            <div class="actions">
            <button type="button" class="quiet" id="cancel" hidden>Cancel</button>
            <button type="submit" id="submit">Sign in</button>
            </div>
            </form>
            \(PasswordPages.link(opensTab: true))
            """
        return page(title: "Sign in", origins: request.allowedOrigins, content: content)
    }

    /// Tells the window that opened the page, and closes.
    static func success(_ request: SignInRequest, webAuthToken: String) -> String {
        let content = """
            <h1>You are signed in</h1>
            <p role="status">You can close this window.</p>
            <p id="orphan" role="status" hidden>The app's window was closed before the sign-in was complete.
            Open the app and sign in again.</p>
            """
        return page(
            title: "Signed in", origins: request.allowedOrigins, webAuthToken: webAuthToken, content: content)
    }

    /// What the server is, for people who open its address.
    static let home = Page.make(
        title: "Welcome",
        content: """
            <h1>This is a Stratus server</h1>
            <p>Apps store their data here. CloudKit Web Services are available at <strong>/database/1/</strong>.</p>
            <p><a href="/files">Your files</a></p>
            <p><a href="/account">Your account</a></p>
            <p><a href="/console/">Developer console</a></p>
            """)

    /// - Parameter origins: which may receive the page's message; empty allows any.
    private static func page(
        title: String, origins: [String], webAuthToken: String? = nil, content: String
    ) -> String {
        let receivers = " data-origins=\"\(HTML.escape(json(origins.isEmpty ? ["*"] : origins)))\""
        let token = webAuthToken.map { " data-token=\"\(HTML.escape($0))\"" } ?? ""
        return Page.make(
            title: title, attributes: receivers + token, script: SignInAssets.script, content: content)
    }

    private static func json(_ texts: [String]) -> String {
        var writer = JSONWriter(capacity: 64)
        writer.beginArray()
        for text in texts { writer.string(text) }
        writer.endArray()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static let keep =
        "<label class=\"keep\"><input type=\"checkbox\" name=\"keep\" value=\"on\"> Keep me signed in</label>"

    /// Warns that a program asks: it stays signed in.
    private static func program(_ device: DeviceSignIn?) -> String {
        device == nil
            ? "" : " A program on this computer asks you to sign in. Continue only if you have just started it."
    }

    private static func hidden(_ device: DeviceSignIn?) -> String {
        guard let device else { return "" }
        return "\n<input type=\"hidden\" name=\"callback\" value=\"\(HTML.escape(device.callback))\">"
            + "\n<input type=\"hidden\" name=\"challenge\" value=\"\(device.challenge)\">"
    }

    private static func environment(_ request: SignInRequest) -> String {
        request.context.environment == .development ? " (development)" : ""
    }
}
