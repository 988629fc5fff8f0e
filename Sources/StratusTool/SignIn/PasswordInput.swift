import Glibc
import StratusCloudService

/// Passwords on standard input.
enum PasswordInput {
    /// The first line of standard input, for scripts.
    static func firstLine() throws(ToolError) -> String {
        guard let password = line(limit: ServiceLimits.passwordMaximum + 1), !password.isEmpty else {
            throw ToolError("standard input has no password, or it is not UTF-8")
        }
        return password
    }

    /// Asks for something at the terminal that standard input is.
    static func ask(_ question: String) throws(ToolError) -> String {
        show(question)
        guard let answer = line(limit: ServiceLimits.passwordMaximum), !answer.isEmpty else {
            throw ToolError("no input", code: "CANCELLED")
        }
        return answer
    }

    /// Asks for a password, which the terminal does not show.
    static func askSecretly(_ question: String) throws(ToolError) -> String {
        var former = termios()
        guard tcgetattr(STDIN_FILENO, &former) == 0 else { throw ToolError("standard input is not a terminal") }
        EchoGuard.begin(former)
        var silent = former
        silent.c_lflag &= ~tcflag_t(ECHO)
        // What was typed ahead was typed for all to see: it is not taken for the password.
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        defer {
            EchoGuard.end()
            show("\n")
        }
        return try ask(question)
    }

    /// Asks for a new password twice.
    static func askForNew() throws(ToolError) -> String {
        guard isatty(STDIN_FILENO) == 1 else {
            throw .usage("standard input is not a terminal; give --password-stdin to read the password from it")
        }
        let password = try askSecretly("New password: ")
        guard try askSecretly("New password again: ") == password else {
            throw ToolError("the passwords do not match", code: "CANCELLED")
        }
        return password
    }

    private static func show(_ text: String) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// The next line of standard input without its end; nil if it is not UTF-8. Nothing behind it is taken away.
    private static func line(limit: Int) -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while bytes.count <= limit {
            let count = read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1, byte != UInt8(ascii: "\n") else { break }
            bytes.append(byte)
        }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        return String(validating: bytes, as: UTF8.self)
    }
}

/// Lets the terminal show what is typed again, also when a signal ends the program.
private enum EchoGuard {
    /// `nonisolated(unsafe)`: written once, before the signal handlers that read it are set, and not after.
    private nonisolated(unsafe) static var former = termios()
    private static let signals = [SIGINT, SIGTERM, SIGHUP]

    static func begin(_ settings: termios) {
        former = settings
        for number in signals {
            signal(number) { number in
                EchoGuard.restore()
                signal(number, SIG_DFL)
                raise(number)
            }
        }
    }

    static func end() {
        restore()
        for number in signals { signal(number, SIG_DFL) }
    }

    private static func restore() { tcsetattr(STDIN_FILENO, TCSANOW, &former) }
}
