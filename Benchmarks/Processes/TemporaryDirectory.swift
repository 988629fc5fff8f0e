import FoundationEssentials
import Glibc

/// A directory that is removed at the end.
final class TemporaryDirectory {
    let path: String

    /// - Parameter parent: Made if it is not there. Others may pass through, because PostgreSQL runs as another user.
    init(in parent: String) throws {
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        var template = Array("\(parent)/run-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw BenchmarkError("no directory in \(parent): errno \(errno)") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        chmod(path, 0o755)
        Cleanup.add(directory: path)
    }

    func remove() { Cleanup.remove(directory: path) }
}
