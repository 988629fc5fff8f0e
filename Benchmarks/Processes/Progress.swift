import Glibc

/// What is being done, on standard error.
enum Progress {
    static func say(_ text: String) { write("==> \(text)") }

    /// Writes a line to standard error.
    static func write(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        // Nothing can be done where standard error is closed.
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
