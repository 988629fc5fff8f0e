import StratusCCurl
import StratusWorkers

/// Hands mail to one mail server by SMTP (RFC 5321), one message after the other, on libcurl.
public final class SMTPClient: Sendable {
    private let options: SMTPOptions
    /// libcurl's simple interface blocks; it gets a thread of its own.
    private let pool = WorkerPool(threads: 1)

    /// A client of a mail server.
    public init(_ options: SMTPOptions) { self.options = options }

    /// Hands over one message and waits until the server has taken it.
    /// - Throws: why it did not; see ``SMTPError/Code``.
    public func send(_ message: SMTPMessage) async throws(SMTPError) {
        try message.validate()
        let options = options
        let failure = await withCheckedContinuation { continuation in
            pool.submit { continuation.resume(returning: SMTPTransfer(message).perform(options)) }
        }
        if let failure { throw failure }
    }
}

/// How a mail server is reached.
public struct SMTPOptions: Sendable {
    /// How the connection is kept from others.
    public enum Security: String, Sendable, CaseIterable {
        /// Not at all: for a server on the same machine.
        case none
        /// Begun in the clear and then encrypted, or given up.
        case startTLS = "starttls"
        /// Encrypted from the beginning.
        case tls

        /// The port where such servers listen.
        public var port: Int {
            switch self {
            case .none: 25
            case .startTLS: 587
            case .tls: 465
            }
        }
    }

    /// The server's name or address.
    public var host: String
    /// Its port.
    public var port: Int
    /// How the connection is kept from others.
    public var security: Security
    /// Who hands in mail; nil for servers that do not ask.
    public var user: String?
    /// The user's password.
    public var password: String?
    /// A PEM file of the certificate authorities to trust instead of the system's.
    public var certificateAuthorityFile: String?
    /// The name by which this machine greets.
    public var greeting = "localhost"
    /// Longest time until a connection stands, TLS included.
    public var connectTimeout: Duration = .seconds(15)
    /// Longest time for a message.
    public var timeout: Duration = .seconds(60)

    /// How a server is reached.
    public init(host: String, port: Int? = nil, security: Security = .startTLS) {
        self.host = host
        self.port = port ?? security.port
        self.security = security
    }
}

/// A message and whom it is for.
public struct SMTPMessage: Sendable {
    /// Whom the server tells what went wrong: an address without a name.
    public var sender: String
    /// An address without a name.
    public var recipient: String
    /// Header and body, with CRLF at the end of each line.
    public var content: [UInt8]

    /// Makes a message.
    public init(sender: String, recipient: String, content: [UInt8]) {
        self.sender = sender
        self.recipient = recipient
        self.content = content
    }

    /// Whether an address can stand in a command and in a header line: `local@domain` of ASCII, without quoting,
    /// no dot at an end of either or next to another.
    public static func isAddress(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        return text.utf8.count <= SMTPLimits.addressLength && parts.count == 2
            && parts.allSatisfy { part in
                part.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
                    .allSatisfy { !$0.isEmpty && $0.allSatisfy(isPlain) }
            }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-./=?^_`{|}~".utf8.contains(byte)
        }
    }

    /// Refuses what would be read as something else.
    func validate() throws(SMTPError) {
        guard Self.isAddress(sender), Self.isAddress(recipient) else {
            throw SMTPError(.refused, "an address cannot be written in SMTP")
        }
        guard content.count <= SMTPLimits.messageSize else {
            throw SMTPError(.refused, "the message has more than \(SMTPLimits.messageSize) bytes")
        }
    }
}

/// Limits of what is handed to mail servers.
public enum SMTPLimits {
    /// Bytes of an address.
    public static let addressLength = 254
    /// Bytes of a message: 1 MiB.
    public static let messageSize = 1_048_576
}

/// Why a message was not taken. Compare `code`; `message` is for people.
public struct SMTPError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Sorts of failures.
    public enum Code: Hashable, Sendable {
        /// The server does not take this message, and never will.
        case refused
        /// The server does not take this message now.
        case later
        /// No message can be handed over now: the server is not reached, not trusted, or does not know the user.
        case unavailable
    }

    /// Which sort.
    public let code: Code
    /// A sentence for the log; it holds no password and no content.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Code and message.
    public var description: String { "\(code): \(message)" }
}
