import Foundation
import Glibc
import StratusCloudCrypto

/// Keeps secrets with the desktop's keyring (the Secret Service of freedesktop.org), which encrypts them with the user's
/// password.
///
/// Goes through the command `secret-tool` of Debian's package `libsecret-tools`, so that servers without a desktop need
/// nothing of it. Secrets go through pipes, never through arguments.
public struct SecretServiceKeyStore: DeviceKeyStore {
    private static let attribute = "stratus-key"
    private let command: String

    /// - Parameter command: the program, or its name in `PATH`.
    public init(command: String = "secret-tool") { self.command = command }

    /// The secret of a name; nil if there is none.
    public func secret(named name: String) async throws -> [UInt8]? {
        let outcome = try await run(["lookup", Self.attribute, Self.value(name)])
        // The tool ends the same way whether there is no secret or no keyring, but for what it complains about.
        guard outcome.status == 0 else {
            guard outcome.errors.isEmpty else { throw failure("read", outcome.errors) }
            return nil
        }
        guard let secret = Hex.decode(outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw DeviceKeyStoreError("The keyring's secret for '\(name)' is no key.")
        }
        return secret
    }

    /// Keeps a secret.
    public func setSecret(_ secret: [UInt8], named name: String) async throws {
        let outcome = try await run(
            ["store", "--label=Stratus: key of encrypted values", Self.attribute, Self.value(name)],
            input: Hex.encode(secret))
        guard outcome.status == 0 else { throw failure("write", outcome.errors) }
    }

    /// Forgets a secret.
    public func removeSecret(named name: String) async throws {
        let outcome = try await run(["clear", Self.attribute, Self.value(name)])
        guard outcome.status == 0 || outcome.errors.isEmpty else { throw failure("change", outcome.errors) }
    }

    /// Never taken for an option.
    private static func value(_ name: String) -> String { "name:" + name }

    private struct Outcome: Sendable {
        var status: Int32
        var output: String
        var errors: String
    }

    private func run(_ arguments: [String], input: String = "") async throws -> Outcome {
        try await LocalFile.waiting { try Self.run(command, arguments, input) }
    }

    private static func run(_ command: String, _ arguments: [String], _ input: String) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [command] + arguments
        let (output, errors) = (Pipe(), Pipe())
        // Sockets, because writing to a pipe that nobody reads would end this program.
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw DeviceKeyStoreError("'\(command)' cannot be run: \(String(cString: strerror(errno))).")
        }
        let (near, far) = (
            FileHandle(fileDescriptor: ends[0], closeOnDealloc: true),
            FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        )
        process.standardInput = far
        process.standardOutput = output
        process.standardError = errors
        do {
            try process.run()
            try far.close()
            let bytes = Array(input.utf8)
            // A tool that does not read ends with a complaint, which says more than this would.
            _ = send(near.fileDescriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            try near.close()
            // Both are far shorter than a pipe holds, so neither waits for the other to be read.
            let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            let complaint = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            process.waitUntilExit()
            return Outcome(status: process.terminationStatus, output: text, errors: complaint)
        } catch {
            throw DeviceKeyStoreError("'\(command)' cannot be run: \(error.localizedDescription).")
        }
    }

    private func failure(_ step: String, _ complaint: String) -> DeviceKeyStoreError {
        let reason = complaint.trimmingCharacters(in: .whitespacesAndNewlines)
        return DeviceKeyStoreError("The desktop's keyring cannot be used to \(step) a key: \(reason).")
    }
}
