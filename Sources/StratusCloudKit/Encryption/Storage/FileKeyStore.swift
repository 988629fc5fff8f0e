import Foundation
import Glibc
import StratusCloudCrypto
import StratusHTTPClient

/// Keeps each secret in a file of its own that only the user can read.
///
/// Files have the mode 0600 in a directory with 0700, are written beside and renamed, and are refused if others could read
/// or change them. They are not encrypted: who can read the user's files can read them.
public struct FileKeyStore: DeviceKeyStore, Hashable {
    /// The directory of the files.
    public let directory: String

    /// Longest file that is read, in bytes.
    private static let sizeLimit = 65_536
    private static let title = "stratus key 1"

    /// Keeps secrets in a directory, which is made with its first secret.
    public init(directory: String) { self.directory = directory }

    /// In `$XDG_DATA_HOME/stratus/keys`, or `~/.local/share/stratus/keys`.
    public static var standard: FileKeyStore {
        let variables = ProcessInfo.processInfo.environment
        let data = variables["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let home = data ?? (variables["HOME"] ?? NSHomeDirectory()) + "/.local/share"
        return FileKeyStore(directory: home + "/stratus/keys")
    }

    /// The secret of a name; nil if there is no file.
    /// - Throws: ``DeviceKeyStoreError`` for a file that others can read, that is not this user's, or that is damaged.
    public func secret(named name: String) async throws -> [UInt8]? {
        try await LocalFile.waiting { try read(name) }
    }

    /// Writes a secret's file.
    public func setSecret(_ secret: [UInt8], named name: String) async throws {
        try await LocalFile.waiting { try write(secret, name) }
    }

    /// Removes a secret's file.
    public func removeSecret(named name: String) async throws {
        try await LocalFile.waiting {
            guard unlink(path(of: name)) == 0 || errno == ENOENT else { throw failure("remove", path(of: name)) }
        }
    }

    /// Names come from outside, so a file has a digest for its name, and the name stands in it.
    private func path(of name: String) -> String {
        directory + "/" + Hex.encode(Array(SHA256.hash(name).prefix(16))) + ".key"
    }

    // MARK: Files

    private func read(_ name: String) throws -> [UInt8]? {
        let path = path(of: name)
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        if file < 0, errno == ENOENT { return nil }
        guard file >= 0 else { throw failure("open", path) }
        defer { close(file) }
        try checkOwner(of: file, path, kind: S_IFREG)
        try checkDirectory()
        var buffer = [UInt8](repeating: 0, count: Self.sizeLimit)
        let count = Glibc.read(file, &buffer, buffer.count)
        guard count >= 0 else { throw failure("read", path) }
        guard let secret = Self.secret(in: Array(buffer.prefix(count)), named: name) else {
            throw DeviceKeyStoreError("'\(path)' is no key file of '\(name)', or is damaged.")
        }
        return secret
    }

    /// The secret in the text of a file; nil if it is no key file of the name.
    static func secret(in bytes: [UInt8], named name: String) -> [UInt8]? {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 4, lines[3].isEmpty, lines[0] == Self.title, lines[1] == Self.line(name) else {
            return nil
        }
        return Hex.decode(String(lines[2]))
    }

    static func text(of secret: [UInt8], named name: String) -> String {
        [title, line(name), Hex.encode(secret), ""].joined(separator: "\n")
    }

    private func write(_ secret: [UInt8], _ name: String) throws {
        try makeDirectory()
        let path = path(of: name)
        let text = Self.text(of: secret, named: name)
        let temporary = path + "." + Hex.encode(RandomSource.system.bytes(8)) + ".new"
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw failure("make", temporary) }
        defer { close(file) }
        var text8 = text
        let written = text8.withUTF8 { Glibc.write(file, $0.baseAddress, $0.count) }
        guard written == text.utf8.count, fsync(file) == 0, rename(temporary, path) == 0 else {
            let failure = failure("write", path)
            unlink(temporary)
            throw failure
        }
        // The new name must survive a crash as well: what is encrypted next can be read with this key only.
        let directory = open(self.directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw failure("open", self.directory) }
        defer { close(directory) }
        guard fsync(directory) == 0 else { throw failure("write", self.directory) }
    }

    private func makeDirectory() throws {
        let parent = URL(fileURLWithPath: directory).deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(
                at: parent, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw DeviceKeyStoreError("The directory '\(parent.path)' cannot be made: \(error.localizedDescription).")
        }
        guard mkdir(directory, 0o700) == 0 || errno == EEXIST else { throw failure("make", directory) }
        try checkDirectory()
    }

    private func checkDirectory() throws {
        let file = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard file >= 0 else { throw failure("open", directory) }
        defer { close(file) }
        try checkOwner(of: file, directory, kind: S_IFDIR)
    }

    private func checkOwner(of file: Int32, _ path: String, kind: mode_t) throws {
        var status = stat()
        guard fstat(file, &status) == 0 else { throw failure("open", path) }
        guard status.st_mode & S_IFMT == kind, status.st_uid == geteuid() else {
            throw DeviceKeyStoreError("'\(path)' does not belong to this user.")
        }
        guard status.st_mode & 0o077 == 0 else {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw DeviceKeyStoreError(
                "'\(path)' can be used by others (mode \(mode)); take their rights away: chmod go= '\(path)'.")
        }
    }

    /// A name on one line.
    private static func line(_ name: String) -> String { PercentEncoding.encode(name) }

    private func failure(_ step: String, _ path: String) -> DeviceKeyStoreError {
        DeviceKeyStoreError("Cannot \(step) '\(path)': \(String(cString: strerror(errno))).")
    }
}
