import Foundation
import Glibc

/// The directories in which the processes of one user meet.
enum CoordinationDirectory {
    /// `stratus/NAME` in `$XDG_RUNTIME_DIR`, else in `/run/user/ID`, else `/tmp/stratus-ID/NAME`.
    ///
    /// Every program of the user has to find the same one, also programs that were started outside of the user's
    /// session and do not have the variable.
    static func path(
        _ environment: [String: String] = ProcessInfo.processInfo.environment, name: String = "coordination"
    ) -> String {
        if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") { return runtime + "/stratus/" + name }
        let runtime = "/run/user/\(geteuid())"
        if access(runtime, W_OK) == 0 { return runtime + "/stratus/" + name }
        return "/tmp/stratus-\(geteuid())/" + name
    }

    /// Creates the directory, which only its owner may enter.
    /// - Throws: if it belongs to another user, or others may enter it.
    static func prepare(_ path: String) throws {
        for directory in [(path as NSString).deletingLastPathComponent, path] {
            if mkdir(directory, 0o700) != 0, errno != EEXIST { throw Self.error(errno, directory) }
            var status = stat()
            guard lstat(directory, &status) == 0 else { throw Self.error(errno, directory) }
            let isOwn = status.st_uid == geteuid() && status.st_mode & S_IFMT == S_IFDIR && status.st_mode & 0o077 == 0
            guard isOwn else { throw Self.error(EACCES, directory) }
        }
    }

    /// An error of Cocoa's domain about a file, with the system's below it.
    static func error(_ code: Int32, _ path: String) -> NSError {
        NSError(
            domain: NSCocoaErrorDomain, code: CocoaError.Code.fileWriteUnknown.rawValue,
            userInfo: [
                NSFilePathErrorKey: path,
                NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(code)),
            ])
    }
}
