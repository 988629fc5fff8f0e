import StratusCloudService

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
            \(PasswordPages.link())
            """
    }
}
