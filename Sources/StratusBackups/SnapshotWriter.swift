import FoundationEssentials
import Glibc
import StratusCloudCrypto
import StratusCloudStore

/// Writes the lines of a snapshot, beside the others until it is complete. Blocks; used by one thread.
final class SnapshotWriter {
    let name: String
    private let path: String
    private let descriptor: Int32
    private var hash = SHA256()
    private(set) var files = 0
    private(set) var bytes: Int64 = 0

    /// Begins a snapshot.
    init(_ header: SnapshotHeader, in directory: BackupDirectory) throws(StoreError) {
        name = Self.name(header.number, header.time)
        path = "\(directory.incoming)/\(name)"
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreError(system: errno, while: "creating \(path)") }
        try line(header)
    }

    deinit {
        guard descriptor >= 0 else { return }
        close(descriptor)
        unlink(path)
    }

    func add(_ file: SnapshotFile) throws(StoreError) {
        files += 1
        bytes += file.size
        try line(file)
    }

    /// Writes the end and gives the snapshot its name.
    func finish(in directory: BackupDirectory) throws(StoreError) {
        try line(SnapshotEnd(files: files, bytes: bytes, sha256: Hex.encode(hash.digest())))
        try directory.synchronize()
        let final = directory.snapshot(name)
        guard rename(path, final) == 0 else { throw StoreError(system: errno, while: "creating \(final)") }
        try directory.synchronize()
    }

    private func line(_ value: some Encodable) throws(StoreError) {
        let line: [UInt8]
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            line = Array(try encoder.encode(value)) + [UInt8(ascii: "\n")]
        } catch {
            throw StoreError(.ioFailure, "a line of the backup cannot be written: \(error)")
        }
        hash.update(line)
        try FileBytes.append(line, to: descriptor, path)
    }

    /// Such as `000001-20261122T093000Z`.
    private static func name(_ number: Int, _ time: Int64) -> String {
        let digits = String(number)
        var seconds = time_t(time / 1_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let count = strftime(&text, text.count, "%Y%m%dT%H%M%SZ", &parts)
        let moment = String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return String(repeating: "0", count: max(0, 6 - digits.count)) + digits + "-" + moment
    }
}
