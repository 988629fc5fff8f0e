import Glibc

/// How full a disk is.
struct DiskState {
    /// Bytes of the disk below which saves will soon fail: 256 MiB.
    static let scarceBytes: UInt64 = 256 * 1_048_576
    /// Files that the disk must have room for.
    static let scarceFiles: UInt64 = 10_000

    /// Bytes that may still be written.
    var free: UInt64
    /// Bytes that the disk has.
    var all: UInt64
    /// Files that may still be made; nil where their number is not fixed.
    var freeFiles: UInt64?

    init(free: UInt64, all: UInt64, freeFiles: UInt64? = nil) {
        (self.free, self.all, self.freeFiles) = (free, all, freeFiles)
    }

    /// The disk that a path is on; nil, with the reason in `errno`, if nobody can say.
    init?(of path: String) {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let block = UInt64(status.f_frsize)
        // File systems without a fixed number of files say that there are none.
        self.init(
            free: UInt64(status.f_bavail) * block, all: UInt64(status.f_blocks) * block,
            freeFiles: status.f_files > 0 ? UInt64(status.f_favail) : nil)
    }

    /// What there is to say of it.
    /// - Parameter reserve: Bytes that uploads leave free.
    func judgement(reserve: UInt64) -> (DoctorReport.Status, String) {
        let text = "\(free >> 20) MiB of \(all >> 20) MiB are free"
        if let freeFiles, freeFiles < Self.scarceFiles { return (.failed, text + ", with room for \(freeFiles) files") }
        if free < Self.scarceBytes { return (.failed, text) }
        // A reserve may be as large as an integer goes.
        if free / 2 < reserve { return (.warning, text + "; uploads leave \(reserve >> 20) MiB free") }
        return (.ok, text)
    }
}
