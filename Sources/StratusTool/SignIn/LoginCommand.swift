import FoundationEssentials
import Glibc
import StratusCommandLine
import StratusDeviceCredentials

/// `stratus login`
enum LoginCommand {
    private struct SignedIn: Encodable {
        var profile: String
        var url: String
        var container: String
        var environment: String
        var userRecordName: String
    }

    static func command(_ output: Output) -> Command {
        Command(
            "login", summary: "Signs you in to a cloud on this machine, for programs that import CloudKit",
            discussion:
                "Opens the cloud's sign-in page in a browser, and prints its address in case none opens. Missing "
                + "values come from the environment, then from stratus.json: the file that $STRATUS_CONFIG names, or "
                + "the one in $XDG_CONFIG_HOME/stratus. --prompt asks in the terminal instead; scripts use --email "
                + "and --password-stdin. The credentials are kept in $XDG_CONFIG_HOME/stratus/accounts, readable by "
                + "you only, with one account for each profile and container. 'stratus logout' removes them.",
            options: [
                SignInOptions.profile, SignInOptions.container, SignInOptions.environment, SignInOptions.apiToken,
                SignInOptions.prompt, SignInOptions.email, SignInOptions.passwordFromInput,
            ],
            positionals: [SignInOptions.url], output: output
        ) { context, values throws(ToolError) in
            let profile = try SignInOptions.profile(values)
            let target = try SignInTarget(values, profile: profile)
            let file = try SignInOptions.file()
            // Before a password is asked for that could not be kept.
            do throws(CredentialsError) { _ = try file.read() } catch { throw ToolError(error) }
            let authority = target.certificateAuthorityFile.map(absolute)
            let client = try SignInClient(url: target.url, certificateAuthorityFile: authority)
            let session = try await session(client, target, values, context.output)
            let stored = StoredSession(
                url: client.url, container: target.container, environment: target.environment.rawValue,
                apiToken: target.apiToken, webAuthToken: session.ckWebAuthToken,
                userRecordName: session.userRecordName, certificateAuthorityFile: authority,
                renewed: Int64(Date().timeIntervalSince1970))
            let former: StoredSession?
            do throws(CredentialsError) {
                former = try file.update { $0.add(stored, to: profile) }
            } catch {
                // Nobody must keep what nobody can use.
                try? await client.signOut(session.ckWebAuthToken)
                throw ToolError(error)
            }
            // It ends by itself in the end; the new one is what was asked for.
            if let former { try? await client.signOut(former.webAuthToken) }
            try context.output.result(
                SignedIn(
                    profile: profile, url: stored.url, container: stored.container, environment: stored.environment,
                    userRecordName: stored.userRecordName),
                text: "signed in to \(stored.container) (\(stored.environment)) at \(stored.url) as "
                    + "\(stored.userRecordName), profile '\(profile)'")
            return .success
        }
    }

    private static func session(
        _ client: SignInClient, _ target: SignInTarget, _ values: Values, _ output: Output
    ) async throws(ToolError) -> SignInClient.Session {
        let given = values[SignInOptions.email]
        let readsPassword = values[SignInOptions.passwordFromInput]
        let asks = values[SignInOptions.prompt]
        if readsPassword, given == nil || asks {
            throw .usage("--password-stdin goes with --email, and not with --prompt")
        }
        if given != nil, !readsPassword, !asks { throw .usage("--email goes with --prompt or --password-stdin") }
        if asks, isatty(STDIN_FILENO) == 0 {
            throw .usage("--prompt needs a terminal; scripts give --email and --password-stdin")
        }
        let page = try await client.page(
            container: target.container, environment: target.environment.rawValue, apiToken: target.apiToken)
        guard asks || readsPassword else {
            let signIn = BrowserSignIn(client: client, page: page) { output.signInPage($0) }
            return try await signIn.session()
        }
        let email: String
        if let given { email = given } else { email = try PasswordInput.ask("E-mail address: ") }
        let password = readsPassword ? try PasswordInput.firstLine() : try PasswordInput.askSecretly("Password: ")
        return try await client.session(page: page, email: email, password: password)
    }

    /// Programs that read it later run elsewhere.
    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let directory = getcwd(nil, 0) else { return path }
        defer { free(directory) }
        return String(cString: directory) + "/" + path
    }
}

extension Output {
    /// Where a browser has to go; also for scripts, on standard error.
    fileprivate func signInPage(_ address: String) {
        guard isJSON else { return note("If no browser opens, sign in at this address:\n\(address)") }
        event("signInURL", address)
    }
}
