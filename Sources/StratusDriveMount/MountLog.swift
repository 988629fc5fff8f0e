import Glibc

/// Messages on standard error for the person who runs the mount.
enum MountLog {
    static func write(_ text: String) {
        // One call, so that lines of several threads do not mix.
        let line = Array("stratus: \(text)\n".utf8)
        _ = line.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
