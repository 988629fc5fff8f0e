import FoundationEssentials
import Glibc
import StratusCloudCrypto
import StratusCloudStore

/// Reads the lines of a snapshot one after another. Blocks. Used by one thread.
final class SnapshotReader {
    private(set) var header = SnapshotHeader(stratusBackup: 0, number: 0, time: 0)
    private let path: String
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private var place = 0
    private var hash = SHA256()
    private var files = 0
    private var bytes: Int64 = 0
    private static let pieceSize = 65_536

    /// Opens a snapshot and reads its first line.
    init(path: String) throws(StoreError) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw StoreError(system: errno, while: "opening \(path)") }
        guard let line = try line() else { throw damage("it is empty") }
        header = try Self.decode(SnapshotHeader.self, line, path)
        guard header.stratusBackup <= BackupFormat.version else {
            throw StoreError(.newerFormat, "\(path) was written by a newer version of Stratus")
        }
        count(line)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The next file; nil at the end.
    /// - Throws: ``StoreError/Code/corrupted`` if the snapshot is not whole.
    func next() throws(StoreError) -> SnapshotFile? {
        guard let line = try line() else { throw damage("its end is missing") }
        guard line.starts(with: Self.fileStart) else {
            let end = try Self.decode(SnapshotEnd.self, line, path)
            guard end == SnapshotEnd(files: files, bytes: bytes, sha256: Hex.encode(hash.digest())) else {
                throw damage("its checksum is wrong")
            }
            return nil
        }
        let file = try Self.decode(SnapshotFile.self, line, path)
        files += 1
        bytes += file.size
        count(line)
        return file
    }

    private static let fileStart = Array(#"{"chunks":"#.utf8)

    private func count(_ line: [UInt8]) {
        hash.update(line)
        hash.update([UInt8(ascii: "\n")])
    }

    /// The next line, without its end.
    private func line() throws(StoreError) -> [UInt8]? {
        var line: [UInt8] = []
        while true {
            if let end = buffer[place...].firstIndex(of: UInt8(ascii: "\n")) {
                line += buffer[place..<end]
                place = end + 1
                return line
            }
            line += buffer[place...]
            guard line.count <= BackupFormat.lineSize else { throw damage("a line is too long") }
            buffer = try FileBytes.piece(of: descriptor, size: Self.pieceSize, path)
            place = 0
            guard !buffer.isEmpty else {
                guard line.isEmpty else { throw damage("its end is missing") }
                return nil
            }
        }
    }

    private func damage(_ reason: String) -> StoreError { StoreError(.corrupted, "\(path) is damaged: \(reason)") }

    private static func decode<Value: Decodable>(
        _ type: Value.Type, _ line: [UInt8], _ path: String
    ) throws(StoreError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(line))
        } catch {
            throw StoreError(.corrupted, "\(path) is damaged: a line cannot be read")
        }
    }
}
