import StratusCloudServer
import StratusCloudService
import StratusCloudWire
import StratusCommandLine
import StratusHTTPClient
import StratusMailDelivery

/// The mail server that `stratus serve` is told of.
struct MailSettings: Sendable {
    /// What ``perDay`` may be.
    static let perDayRange = 1...1_000_000

    var host: String?
    var port: Int?
    var security: String?
    var user: String?
    var passwordFile: String?
    var sender: String?
    var authorities: String?
    var perDay: Int?
    var signUp: String?

    /// These settings, and those of `other` where these say nothing.
    func completed(by other: MailSettings) -> MailSettings {
        MailSettings(
            host: host ?? other.host, port: port ?? other.port, security: security ?? other.security,
            user: user ?? other.user, passwordFile: passwordFile ?? other.passwordFile,
            sender: sender ?? other.sender, authorities: authorities ?? other.authorities,
            perDay: perDay ?? other.perDay, signUp: signUp ?? other.signUp)
    }

    /// Who may make an account.
    /// - Throws: a usage error for what is no policy, or needs a mail server.
    func signUpPolicy() throws(ToolError) -> SignUpPolicy {
        guard let signUp else { return .closed }
        guard let policy = SignUpPolicy(rawValue: signUp) else {
            let known = SignUpPolicy.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("sign-up: '\(signUp)' is not one of \(known)")
        }
        guard policy == .closed || host != nil else {
            throw .usage("sign-up needs smtp-host, because addresses are verified by e-mail")
        }
        return policy
    }

    /// How the server sends mail; nil if no mail server is named.
    /// - Throws: a usage error for what belongs together and does not come together, or cannot be.
    func service(publicURL: String?) throws(ToolError) -> MailService? {
        guard let host else {
            guard [security, user, passwordFile, sender, authorities].allSatisfy({ $0 == nil }), port == nil,
                perDay == nil
            else { throw .usage("the smtp-… and mail-… settings need smtp-host") }
            return nil
        }
        guard !host.isEmpty, host.utf8.allSatisfy({ Self.isHostCharacter($0) }) else {
            throw .usage("smtp-host: '\(host)' is not a host")
        }
        guard let security = SMTPOptions.Security(rawValue: security ?? SMTPOptions.Security.startTLS.rawValue) else {
            let known = SMTPOptions.Security.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("smtp-security: '\(self.security ?? "")' is not one of \(known)")
        }
        guard let publicURL, publicURL.hasPrefix("https://") || publicURL.hasPrefix("http://") else {
            throw .usage("smtp-host needs public-url, because mails link to it")
        }
        guard let sender, let address = MailSender(sender, isAddress: SMTPMessage.isAddress) else {
            throw .usage("mail-from must be an e-mail address, or a name and an address in <>")
        }
        var options = SMTPOptions(host: host, port: port, security: security)
        options.user = user
        options.password = try password()
        options.certificateAuthorityFile = authorities
        options.greeting = Self.host(of: publicURL)
        return MailService(
            channel: SMTPMailChannel(options, sender: address, publicURL: publicURL),
            perUserAndDay: perDay ?? MailLimits.perUserAndDay)
    }

    private func password() throws(ToolError) -> String? {
        guard (user == nil) == (passwordFile == nil) else {
            throw .usage("smtp-user and smtp-password-file must be set together")
        }
        guard let path = passwordFile else { return nil }
        let password = TextValue.trimmed(
            String(decoding: try AtomicFile.read(path, limit: 4_096), as: UTF8.self))
        guard !password.isEmpty else { throw .usage("smtp-password-file: \(path) is empty") }
        return password
    }

    private static func isHostCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"): true
        default: false
        }
    }

    /// What to greet a mail server with.
    private static func host(of url: String) -> String {
        let host = url.drop { $0 != "/" }.drop { $0 == "/" }.prefix { $0 != "/" && $0 != ":" }
        let isName = !host.isEmpty && host.utf8.allSatisfy(isHostCharacter)
        return isName ? String(host) : "localhost"
    }
}

extension MailSettings {
    private enum Options {
        static let host = text(
            "smtp-host", "host",
            "Sends e-mail through this mail server: invitations, and links for new accounts and forgotten passwords")
        static let port = Option.optional(
            "smtp-port", .integer(1...65_535, placeholder: "port"),
            help: "Its port; 587 with starttls, 465 with tls and 25 with none by default")
        static let security = text(
            "smtp-security", "how", "starttls (by default), tls, or none for a server on this machine")
        static let user = text("smtp-user", "name", "The user name at the mail server")
        static let passwordFile = text("smtp-password-file", "file", "A file that holds the user's password")
        static let sender = text(
            "mail-from", "address", "The sender of mail, such as 'Our cloud <cloud@example.org>'")
        static let authorities = text(
            "smtp-authorities", "file",
            "Certificate authorities in PEM to trust for the mail server; the system's by default")
        static let signUp = text(
            "sign-up", "who",
            "Who may create an account by a link in a mail: closed (by default), invited or open")
        static let perDay = Option.optional(
            "mail-per-day", .integer(perDayRange, placeholder: "count"),
            help: "Invitations that one user may send in a day; \(MailLimits.perUserAndDay) by default")

        private static func text(_ name: String, _ placeholder: String, _ help: String) -> Parameter<String?> {
            Option.optional(name, .string(placeholder), help: help)
        }
    }

    static let options: [any ParameterDeclaring] = [
        Options.host, Options.port, Options.security, Options.user, Options.passwordFile, Options.sender,
        Options.authorities, Options.perDay, Options.signUp,
    ]

    /// What was typed.
    init(_ values: Values) {
        self.init(
            host: values[Options.host], port: values[Options.port], security: values[Options.security],
            user: values[Options.user], passwordFile: values[Options.passwordFile], sender: values[Options.sender],
            authorities: values[Options.authorities], perDay: values[Options.perDay], signUp: values[Options.signUp])
    }

    /// Takes a member of the configuration file; false if there is no setting of that name.
    mutating func set(_ name: String, _ value: JSONReader) throws -> Bool {
        switch name {
        case "smtp-host": host = try value.string()
        case "smtp-port": port = try Self.number(value, in: 1...65_535)
        case "smtp-security": security = try value.string()
        case "smtp-user": user = try value.string()
        case "smtp-password-file": passwordFile = try value.string()
        case "mail-from": sender = try value.string()
        case "smtp-authorities": authorities = try value.string()
        case "mail-per-day": perDay = try Self.number(value, in: Self.perDayRange)
        case "sign-up": signUp = try value.string()
        default: return false
        }
        return true
    }

    private static func number(_ value: JSONReader, in range: ClosedRange<Int>) throws -> Int {
        guard let number = Int(exactly: try value.integer()), range.contains(number) else {
            throw value.refusal("must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
