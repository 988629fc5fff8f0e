import CFiles
import CloudAssets
import CloudStore
import Glibc

/// What can be seen of a data directory from outside: whose it is, who may read it, how full its disk is, and whether its
/// times are plausible.
struct DirectoryChecks {
    /// Bytes of the disk below which saves will soon fail.
    static let scarceBytes: UInt64 = 256 * 1_048_576
    /// Files that the disk must have room for.
    static let scarceFiles: UInt64 = 10_000
    /// Seconds that a file may be younger than now.
    static let clockTolerance: Int64 = 60
    /// 2026-01-01 UTC: a clock before that was not set.
    static let earliestNow: Int64 = 1_767_225_600

    let directory: DataDirectory
    /// Bytes of the disk that uploads leave free.
    let reserve: UInt64

    func run(_ report: inout DoctorReport) {
        var status = stat()
        guard stat(directory.path, &status) == 0 else {
            report.add("permissions", .failed, "\(directory.path): \(DataDirectory.systemMessage())")
            return
        }
        checkPermissions(&report)
        checkDisk(&report)
        checkClock(&report)
    }

    private func checkPermissions(_ report: inout DoctorReport) {
        var problems: [String] = []
        let owner = Self.status(of: directory.path)?.st_uid ?? geteuid()
        if owner != geteuid(), geteuid() != 0 {
            problems.append("\(directory.path) belongs to user \(owner), not to you")
        }
        if access(directory.path, R_OK | W_OK | X_OK) != 0 {
            problems.append("\(directory.path) cannot be written: \(DataDirectory.systemMessage())")
        }
        let folders = [directory.path, directory.assetsDirectory, "\(directory.path)/stratus.leveldb"]
        for path in folders + directory.files.keys.values.sorted() {
            guard let status = Self.status(of: path) else { continue }
            if status.st_mode & 0o077 != 0 {
                let mode = String(status.st_mode & 0o777, radix: 8)
                problems.append("\(path) has mode \(mode): others may reach it; chmod go= makes it yours alone")
            }
            if status.st_uid != owner { problems.append("\(path) belongs to another user (\(status.st_uid))") }
        }
        if StoreEngine.existing(in: directory.path) != nil, Self.status(of: directory.path + "/secret.key") == nil {
            problems.append("\(directory.path)/secret.key is missing: put it back from your backup")
        }
        report.add(
            "permissions", problems.isEmpty ? .ok : .failed,
            problems.isEmpty ? "only user \(owner) can reach \(directory.path)" : problems.joined(separator: "; "))
    }

    private func checkDisk(_ report: inout DoctorReport) {
        var status = statvfs()
        guard statvfs(directory.path, &status) == 0 else {
            report.add("disk", .failed, "\(directory.path): \(DataDirectory.systemMessage())")
            return
        }
        let free = UInt64(status.f_bavail) * UInt64(status.f_frsize)
        let all = UInt64(status.f_blocks) * UInt64(status.f_frsize)
        let text = "\(free >> 20) MiB of \(all >> 20) MiB are free"
        // File systems without a fixed number of files say that there are none.
        let lacksFiles = status.f_files > 0 && UInt64(status.f_favail) < Self.scarceFiles
        if free < Self.scarceBytes || lacksFiles {
            report.add("disk", .failed, text + (lacksFiles ? ", and room for \(status.f_favail) files" : ""))
        } else if free < reserve * 2 {
            report.add("disk", .warning, text + "; uploads leave \(reserve >> 20) MiB to records")
        } else {
            report.add("disk", .ok, text)
        }
    }

    private func checkClock(_ report: inout DoctorReport) {
        let now = Int64(time(nil))
        guard now >= Self.earliestNow else {
            report.add("clock", .failed, "the clock says \(TimeText.utc(milliseconds: now * 1_000)): it was never set")
            return
        }
        let newest = newestFile()
        if let (path, time) = newest, time > now + Self.clockTolerance {
            report.add(
                "clock", .failed,
                "\(path) is from \(TimeText.utc(milliseconds: time * 1_000)), which is yet to come: the clock was "
                    + "set back, or was wrong before")
            return
        }
        let text = "it is \(TimeText.utc(milliseconds: now * 1_000))"
        switch files_clock_is_synchronized() {
        case 1: report.add("clock", .ok, text + ", and something keeps the clock right")
        case 0: report.add("clock", .warning, text + "; nothing keeps the clock right: run an NTP client")
        default: report.add("clock", .ok, text)
        }
    }

    /// The file of the store that was changed last, in seconds since 1970.
    private func newestFile() -> (String, Int64)? {
        let folders = [directory.path, "\(directory.path)/stratus.leveldb"]
        let paths = folders.flatMap { folder in
            // A directory that is not there has no files.
            ((try? DirectoryTree.names(in: folder)) ?? []).map { "\(folder)/\($0)" }
        }
        return paths.compactMap { path in Self.status(of: path).map { (path, Int64($0.st_mtim.tv_sec)) } }
            .max { $0.1 < $1.1 }
    }

    private static func status(of path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }
}
