import Glibc

/// Keeps a second migration out of a working directory.
final class WorkLock {
    static let name = "lock"
    private let descriptor: Int32

    init(_ directory: String) throws(ToolError) {
        let path = "\(directory)/\(Self.name)"
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw ToolError("cannot open \(path): \(DataDirectory.systemMessage())") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw ToolError("another migration is using \(directory)", code: "LOCKED")
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Lets others in. Explicitly: closing is not enough while a child that was just forked still has a copy.
    func release() { flock(descriptor, LOCK_UN) }
}
