import Glibc

/// The header of a database file, read without SQLite, so that a file of another format stays as it is.
struct FileHeader {
    let version: Int64
    let application: Int64

    private static let size = 100
    private static let magic = Array("SQLite format 3\0".utf8)
    private static let versionOffset = 60
    private static let applicationOffset = 68

    /// Nil if there is no file yet, or an empty one.
    /// - Throws: ``StoreError/Code/corrupted`` if it is no database.
    init?(path: String) throws(StoreError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw StoreError(system: errno, while: "opening \(path)")
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.size)
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        guard count >= 0 else { throw StoreError(system: errno, while: "reading \(path)") }
        if count == 0 { return nil }
        guard count == Self.size, bytes.starts(with: Self.magic) else {
            throw StoreError(.corrupted, "\(path) is not a database file, or its beginning is damaged")
        }
        func number(_ offset: Int) -> Int64 { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int64($1) } }
        version = number(Self.versionOffset)
        application = number(Self.applicationOffset)
    }

    /// Whether the file may be opened at all. While all of a new file is in the log, the header says nothing yet.
    func check(newest: Int64) throws(StoreError) {
        let isNew = version == 0 && application == 0
        try Migration.check(version: version, application: application, isEmpty: isNew, newest: newest)
    }
}
