import Glibc
import StratusCFiles
import StratusCloudAssets
import StratusCloudStore

/// What can be seen of a data directory from outside: whose it is, who may read it, how full its disk is, and whether its
/// times are plausible.
struct DirectoryChecks {
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
                problems.append("\(path) has mode \(mode): other users can access it; run chmod go= on it")
            }
            if status.st_uid != owner { problems.append("\(path) belongs to another user (\(status.st_uid))") }
        }
        if StoreEngine.existing(in: directory.path) != nil, Self.status(of: directory.path + "/secret.key") == nil {
            problems.append("\(directory.path)/secret.key is missing: restore it from your backup")
        }
        report.add(
            "permissions", problems.isEmpty ? .ok : .failed,
            problems.isEmpty ? "only user \(owner) can access \(directory.path)" : problems.joined(separator: "; "))
    }

    private func checkDisk(_ report: inout DoctorReport) {
        guard let disk = DiskState(of: directory.path) else {
            report.add("disk", .failed, "\(directory.path): \(DataDirectory.systemMessage())")
            return
        }
        let (status, detail) = disk.judgement(reserve: reserve)
        report.add("disk", status, detail)
    }

    private func checkClock(_ report: inout DoctorReport) {
        let clock = ClockState(
            now: Int64(time(nil)), newest: newestFile(), synchronization: files_clock_is_synchronized())
        let (status, detail) = clock.judgement
        report.add("clock", status, detail)
    }

    /// The file of the store that was changed last, in seconds since 1970.
    private func newestFile() -> ClockState.File? {
        let folders = [directory.path, "\(directory.path)/stratus.leveldb"]
        let paths = folders.flatMap { folder in
            // A directory that is not there has no files.
            ((try? DirectoryTree.names(in: folder)) ?? []).map { "\(folder)/\($0)" }
        }
        return paths.compactMap { path in
            Self.status(of: path).map { .init(path: path, time: Int64($0.st_mtim.tv_sec)) }
        }
        .max { $0.time < $1.time }
    }

    private static func status(of path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }
}
