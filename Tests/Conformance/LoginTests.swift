import Foundation
import StratusDeviceCredentials
import StratusHTTPClient
import StratusTestSupport
import Testing

/// `stratus login` and `stratus logout`, as a person and a script run them.
@Suite("Login")
struct LoginTests {
    private let tenant: Tenant
    private let home: TemporaryDirectory

    init() async throws {
        tenant = try await Tenant.shared("Login")
        home = try TemporaryDirectory()
    }

    private var environment: [String: String] {
        ["XDG_CONFIG_HOME": home.path, "BROWSER": "/bin/true", "STRATUS_PROFILE": ""]
    }
    private var file: CredentialsFile { CredentialsFile(directory: home.path + "/stratus/accounts") }
    private var target: [String] {
        [tenant.cloud.server.url, "--container", tenant.container, "--api-token", tenant.apiToken]
    }

    private func login(
        _ person: Tenant.Person, _ more: [String] = [], password: String? = nil
    ) async throws -> Tool.Run {
        try await Tool.run(
            ["login"] + target + ["--email", person.email, "--password-stdin", "--json"] + more,
            input: (password ?? person.password) + "\n", environment: environment)
    }

    private func logout(_ more: [String] = []) async throws -> Tool.Run {
        try await Tool.run(["logout", "--json"] + more, environment: environment)
    }

    /// Who the server says a token is of; nil if it is void.
    private func caller(_ token: String) async throws -> String? {
        let database = tenant.database("public", .user(apiToken: tenant.apiToken, webAuthToken: token))
        return try await database.get("users/caller").json["userRecordName"].string
    }

    @Test("A script signs in and out; the file is for the user alone, and the session ends on the server")
    func script() async throws {
        let run = try await login(tenant.alice)
        try #require(run.ending == .exited(0), "\(run)")
        #expect(try JSON(parsing: run.output)["userRecordName"].string == tenant.alice.userRecordName)
        let session = try #require(try file.read().sessions(of: "default").first)
        #expect(session.url == tenant.cloud.server.url && session.environment == "development")
        #expect(try await caller(session.webAuthToken) == tenant.alice.userRecordName)
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(!run.output.contains(session.webAuthToken), "tokens are nobody's to read over a shoulder")

        let out = try await logout()
        #expect(out.ending == .exited(0), "\(out)")
        #expect(try JSON(parsing: out.output)["signedOut"].array?.count == 1)
        #expect(try file.read() == StoredCredentials())
        #expect(try await caller(session.webAuthToken) == nil)
        let again = try await logout()
        #expect(again.ending == .exited(0))
        #expect(try JSON(parsing: again.output)["signedOut"].array?.isEmpty == true)
    }

    @Test("Profiles keep accounts apart; a second sign-in ends the session of the first")
    func profiles() async throws {
        #expect(try await login(tenant.alice, ["--profile", "home"]).ending == .exited(0))
        #expect(try await login(tenant.bob, ["--profile", "work"]).ending == .exited(0))
        let bobs = try #require(try file.read().sessions(of: "work").first)
        let first = try #require(try file.read().sessions(of: "home").first)
        #expect(bobs.userRecordName == tenant.bob.userRecordName)
        #expect(try await login(tenant.alice, ["--profile", "home"]).ending == .exited(0))
        let second = try #require(try file.read().sessions(of: "home").first)
        #expect(try await caller(first.webAuthToken) == nil)
        #expect(try await caller(second.webAuthToken) == tenant.alice.userRecordName)
        #expect(try await logout(["--profile", "home"]).ending == .exited(0))
        #expect(try file.read().profileNames == ["work"])
        #expect(try await caller(bobs.webAuthToken) == tenant.bob.userRecordName)
    }

    @Test("What is refused is said in one object, and nothing is kept")
    func refusals() async throws {
        let wrong = try await login(tenant.alice, password: "not the password")
        #expect(wrong.ending == .exited(1))
        #expect(try JSON(parsing: wrong.errors)["error"].string == "AUTHENTICATION_FAILED")
        let foreign = try await Tool.run(
            ["login", tenant.cloud.server.url, "--container", tenant.container, "--email", tenant.alice.email]
                + ["--password-stdin", "--json", "--api-token", String(repeating: "0", count: 64)],
            input: tenant.alice.password + "\n", environment: environment)
        #expect(foreign.ending == .exited(1) && foreign.errors.contains("API token"), "\(foreign)")
        #expect(!FileManager.default.fileExists(atPath: file.path))
        for (arguments, word) in [
            (["login"], "STRATUS_URL"), (["login", "--container", "x"], "STRATUS_URL"),
            (["login", "nonsense"], "'nonsense' is not the address"), (["login", "https://"], "no host"),
            (["login", "https://a.example/b"], "'/b'"), (["login", "http://a.example:0"], "'0'"),
            (["login", "http://[::1]:x"], "'x'"), (["login", "https://ada@a.example"], "'@'"),
            (["login", target[0]], "STRATUS_CONTAINER"), (["login", target[0], "--container", "x"], "'x'"),
            (["login", target[0], "--container", "iCloud.x"], "STRATUS_API_TOKEN"),
            (["login"] + target + ["--prompt"], "terminal"), (["login"] + target + ["--email", "a@b"], "--email"),
            (["login"] + target + ["--password-stdin"], "--email"),
            (["login"] + target + ["--environment", "test"], "'test'"),
            (["login"] + target + ["--profile", "a/b"], "'a/b'"), (["logout", "--profile", "a/b"], "'a/b'"),
            (["login", "ftp://x"] + target.dropFirst(), "'ftp://x'"),
        ] {
            let run = try await Tool.run(arguments + ["--json"], environment: environment)
            #expect(run.ending == .exited(2), "\(run)")
            #expect(run.errors.contains(word), "\(run)")
        }
    }

    @Test("What the command line leaves out, stratus.json says, for the profile; the environment goes over it")
    func configurationFile() async throws {
        let path = home.path + "/stratus/stratus.json"
        try FileManager.default.createDirectory(atPath: home.path + "/stratus", withIntermediateDirectories: true)
        let text = """
            {"url": "http://127.0.0.1:1", "apiToken": "none", "profiles": {"work": {
             "url": "\(tenant.cloud.server.url)/",
             "containers": [{"identifier": "\(tenant.container)", "apiToken": "\(tenant.apiToken)"}, "iCloud.other"]}}}
            """
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let arguments = ["login", "--email", tenant.alice.email, "--password-stdin", "--json"]
        func login(_ variables: [String: String]) async throws -> Tool.Run {
            try await Tool.run(
                arguments, input: tenant.alice.password + "\n",
                environment: environment.merging(variables) { $1 })
        }
        let run = try await login(["STRATUS_PROFILE": "work"])
        try #require(run.ending == .exited(0), "\(run)")
        let session = try #require(try file.read().sessions(of: "work").first)
        #expect(session.url == tenant.cloud.server.url && session.container == tenant.container)

        let other = try await login(["STRATUS_PROFILE": "work", "STRATUS_CONTAINER": "iCloud.other"])
        #expect(other.ending == .exited(1) && other.errors.contains("iCloud.other"), "\(other)")
        let missing = try await login(["STRATUS_CONFIG": home.path + "/none.json"])
        #expect(missing.ending == .exited(2) && missing.errors.contains("/none.json"), "\(missing)")
        try "{".write(toFile: path, atomically: true, encoding: .utf8)
        let damaged = try await login([:])
        #expect(damaged.ending == .exited(2) && damaged.errors.contains(path), "\(damaged)")
    }

    @Test("Credentials that others can read are refused before a password is asked for, and left as they are")
    func widePermissions() async throws {
        #expect(try await login(tenant.alice).ending == .exited(0))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        for run in [try await login(tenant.alice), try await logout()] {
            #expect(run.ending == .exited(1), "\(run)")
            #expect(run.errors.contains("chmod 600"), "\(run)")
        }
        #expect(try await Tool.run(["logout"], environment: environment).errors.contains(file.path))
    }

    @Test("A server that is gone does not keep anybody signed in here")
    func logoutWithoutAServer() async throws {
        _ = try file.update {
            $0.add(
                StoredSession(
                    url: "http://127.0.0.1:1", container: "iCloud.x", environment: "development", apiToken: "a",
                    webAuthToken: "t", userRecordName: "_u", renewed: 0), to: "default")
        }
        let run = try await logout()
        #expect(run.ending == .exited(1), "\(run)")
        #expect(try JSON(parsing: run.errors)["error"].string == "UNREACHABLE")
        #expect(try file.read() == StoredCredentials())
    }

    @Test("Through the browser, which brings a code and never a token")
    func browser() async throws {
        let pipe = home.path + "/address"
        let script = home.path + "/browser"
        try #require(mkfifo(pipe, 0o600) == 0)
        try "#!/bin/sh\nprintf '%s' \"$1\" > '\(pipe)'\n".write(toFile: script, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script)
        var environment = environment
        environment["BROWSER"] = script
        let process = try ChildProcess(Tool.path, ["login"] + target + ["--json"], environment: environment)
        let address = try await ChildProcess("/bin/cat", [pipe]).standardOutput

        let browser = tenant.database("public", .none)
        try #require(address.hasPrefix(browser.server))
        let page = try await browser.send("GET", path: String(address.dropFirst(browser.server.count)))
        var form = try SignInForm(page: page)
        form.fields += [("email", tenant.bob.email), ("password", tenant.bob.password)]
        let done = try await browser.send(
            "POST", path: form.action,
            headers: ["Content-Type": "application/x-www-form-urlencoded", "Origin": browser.server], body: form.body)
        let location = try #require(done.headers["Location"], "\(done)")
        #expect(location.hasPrefix("http://127.0.0.1:") && !location.contains("ckWebAuthToken"))

        // Another page of this machine's browsers knows neither the state nor the code.
        let forged = try #require(location.firstMatch(of: /state=[0-9a-f]+/)).range
        for bad in [
            location.replacingCharacters(in: forged, with: "state=00"), location.split(separator: "?")[0] + "?",
        ] {
            #expect(try await Database.http.send(HTTPClientRequest(url: String(bad))).status == 400)
        }
        let closing = try await Database.http.send(HTTPClientRequest(url: location))
        #expect(closing.status == 200 && String(decoding: closing.body, as: UTF8.self).contains("You are signed in"))
        #expect(await process.ending == .exited(0))
        #expect(try JSON(parsing: await process.standardOutput)["userRecordName"].string == tenant.bob.userRecordName)
        #expect(try JSON(parsing: await process.standardError)["signInURL"].string == address)
        let session = try #require(try file.read().sessions(of: "default").first)
        #expect(try await caller(session.webAuthToken) == tenant.bob.userRecordName)
    }

    @Test("At a terminal, which does not show the password")
    func prompt() async throws {
        let terminal = try Terminal()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Tool.path)
        process.arguments = ["login"] + target + ["--prompt", "--json"]
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let output = Pipe()
        process.standardInput = terminal.inside
        process.standardError = terminal.inside
        process.standardOutput = output
        let ended = AsyncStream<Int32> { continuation in
            process.terminationHandler = {
                continuation.yield($0.terminationStatus)
                continuation.finish()
            }
        }
        try process.run()
        await terminal.wait(for: "E-mail address: ")
        terminal.type(tenant.alice.email + "\n")
        await terminal.wait(for: "Password: ")
        terminal.type(tenant.alice.password + "\n")
        for await status in ended { #expect(status == 0) }
        #expect(terminal.shown.contains(tenant.alice.email), "\(terminal.shown)")
        #expect(!terminal.shown.contains(tenant.alice.password))
        #expect(terminal.showsWhatIsTyped)
        #expect(try file.read().sessions(of: "default").first?.userRecordName == tenant.alice.userRecordName)
    }
}
