import Foundation
import Glibc
import StratusWorkers

/// A person, and their programs, at the directory of a device. They know nothing of synchronization.
final class DrivePerson: Sendable {
    private struct State {
        /// What the clock of the device says, in nanoseconds since 1970-01-01 UTC.
        var clock: Int64
        /// Files that are open for writing, the first one first.
        var open: [Int32] = []
    }

    private let directory: String
    private let ledger: DriveLedger
    private let disk: DriveDisk
    private let mutation: DriveMutation?
    private let state: Lock<State>

    init(_ directory: String, number: Int, _ ledger: DriveLedger, _ disk: DriveDisk, _ mutation: DriveMutation?) {
        (self.directory, self.ledger, self.disk, self.mutation) = (directory, ledger, disk, mutation)
        // Long ago, so that no file seems to be written now.
        state = Lock(State(clock: (1_700_000_000 + Int64(number)) * 1_000_000_000))
    }

    /// What the clock of the device says.
    var date: Date { Date(timeIntervalSince1970: Double(state.withLock { $0.clock }) / 1e9) }

    func moveClock(_ seconds: Int) { state.withLock { $0.clock += Int64(seconds) * 1_000_000_000 } }

    func closeAll() { while state.withLock({ !$0.open.isEmpty }) { close() } }

    func use(_ use: DriveUse) {
        switch use {
        case .write(let place): write(path(place))
        case .replace(let place): replace(path(place))
        case .save(let place): save(path(place))
        case .truncate(let place): truncate(path(place))
        case .move(let from, let to): move(path(from), path(to))
        case .makeFolder(let place): if !disk.isFull { mkdir(path(place), 0o755) }
        case .link(let place, let target): if !disk.isFull { symlink("../../outside-\(target)", path(place)) }
        case .execute(let place): if LocalFiles.isFile(path(place)) { chmod(path(place), 0o755) }
        case .delete(let place): delete(path(place))
        case .replacePackage(let place): replacePackage(path(place))
        case .open(let place): open(path(place))
        case .close: close()
        }
    }

    private func path(_ place: Int) -> String { directory + "/" + DrivePlaces.all[place] }

    // MARK: - Contents

    private func write(_ path: String) {
        guard canWrite(path) else { return }
        forget(path)
        fill(Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644))
    }

    private func replace(_ path: String) {
        guard canWrite(path) else { return }
        fill(Glibc.open(path + ".new", O_WRONLY | O_CREAT | O_TRUNC, 0o644))
        forget(path)
        rename(path + ".new", path)
    }

    private func save(_ path: String) {
        guard canWrite(path), LocalFiles.isFile(path) else { return }
        rename(path, path + "~")
        fill(Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL, 0o644))
        forget(path + "~")
        unlink(path + "~")
    }

    private func truncate(_ path: String) {
        guard LocalFiles.isFile(path) else { return }
        forget(path)
        let file = Glibc.open(path, O_WRONLY | O_TRUNC)
        stamp(file)
        Glibc.close(file)
    }

    private func replacePackage(_ path: String) {
        guard path.hasSuffix(".rtfd"), !disk.isFull, LocalFiles.exists(LocalFiles.folder(of: path)),
            !LocalFiles.exists(path) || LocalFiles.isFolder(path)
        else { return }
        let new = path + ".new"
        mkdir(new, 0o755)
        mkdir(new + "/f", 0o755)
        for name in ["a", "f/a"] { fill(Glibc.open(new + "/" + name, O_WRONLY | O_CREAT | O_TRUNC, 0o644)) }
        forget(path)
        LocalFiles.remove(path)
        rename(new, path)
    }

    private func open(_ path: String) {
        guard LocalFiles.isFile(path) else { return }
        let file = Glibc.open(path, O_RDWR)
        if file >= 0 { state.withLock { $0.open.append(file) } }
    }

    private func close() {
        guard let file = state.withLock({ $0.open.isEmpty ? nil : $0.open.removeFirst() }) else { return }
        guard !disk.isFull else {
            Glibc.close(file)
            return
        }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = pread(file, &bytes, bytes.count, 0)
        ledger.remove(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self))
        ftruncate(file, 0)
        lseek(file, 0, SEEK_SET)
        fill(file)
    }

    /// Writes a new content into an open file and closes it.
    private func fill(_ file: Int32) {
        guard file >= 0 else { return }
        let text = ledger.newText()
        var status = stat()
        // The content of a file that somebody deleted while it was open is not to be found again.
        let isThere = fstat(file, &status) == 0 && status.st_nlink > 0
        let isWritten = Array(text.utf8).withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) } > 0
        stamp(file)
        Glibc.close(file)
        if isThere, isWritten { ledger.close(text) }
    }

    /// Gives a file the time that the clock of the device shows, which no other file has.
    private func stamp(_ file: Int32) {
        let now = state.withLock { state in
            if mutation != .sameTimes { state.clock += 1_000_003 }
            return state.clock
        }
        let time = timespec(tv_sec: Int(now / 1_000_000_000), tv_nsec: Int(now % 1_000_000_000))
        futimens(file, [time, time])
    }

    private func canWrite(_ path: String) -> Bool {
        !disk.isFull && LocalFiles.isFolder(LocalFiles.folder(of: path))
            && (!LocalFiles.exists(path) || LocalFiles.isFile(path))
    }

    // MARK: - Places

    private func move(_ from: String, _ to: String) {
        guard LocalFiles.exists(from) else {
            let (from, to) = (LocalFiles.placeholder(of: from), LocalFiles.placeholder(of: to))
            if LocalFiles.exists(from), !LocalFiles.exists(to) { rename(from, to) }
            return
        }
        guard from != to, !LocalFiles.exists(to) || LocalFiles.isFile(to) && LocalFiles.isFile(from) else { return }
        forget(to)
        rename(from, to)
    }

    private func delete(_ path: String) {
        guard LocalFiles.exists(path) else {
            unlink(LocalFiles.placeholder(of: path))
            return
        }
        forget(path)
        LocalFiles.remove(path)
    }

    /// The contents at a path are replaced or deleted on purpose.
    private func forget(_ path: String) {
        if LocalFiles.isFile(path) {
            if let text = LocalFiles.text(path) { ledger.remove(text) }
        } else if LocalFiles.isFolder(path) {
            for name in LocalFiles.names(path) { forget(path + "/" + name) }
        }
    }
}
