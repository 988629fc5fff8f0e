import Glibc
import StratusCLevelDB

/// Looks into the newest log before LevelDB replays it. Those before it are whole: none begins before they are on disk.
///
/// A crash can tear what was being written, and LevelDB, told to be strict, does not open such a log, while told to be
/// lenient it drops acknowledged writes behind a damaged one. So a torn end is cut off here. Each write tells how much
/// before it was on disk when it was made (``LoggedWrite``): where one says so of what is missing, nothing was torn, the
/// log is damaged. Others may lie behind a torn place, because the writes take the place of zeros that were put ahead of
/// them, several are written in one piece, and the system writes the pages of a file in any order.
///
/// The log is a sequence of blocks, each filled with pieces of writes and, where no header fits, zeros. A piece is: a
/// checksum, a size of two bytes, a kind, the bytes. Zeros where a header fits are the end.
struct LevelDBLogInspection {
    private static let blockSize = 32_768
    private static let headerSize = 7

    private enum Kind: UInt8 {
        case whole = 1
        case first, middle, last
    }

    private struct Piece {
        let kind: Kind
        let end: Int
    }

    private enum Finding {
        case piece(Piece)
        /// Zeros up to the next block, too few for a header.
        case filling
        case wrong
    }

    private let bytes: [UInt8]

    /// Cuts off a torn end.
    /// - Throws: ``StoreError/Code/corrupted`` if the log is damaged before its end.
    static func repair(path: String) throws(StoreError) {
        let bytes = try contents(of: path)
        let inspection = LevelDBLogInspection(bytes: bytes)
        var last: LoggedWrite?
        let (end, isWrong) = inspection.endOfWholeWrites { last = LoggedWrite($0) ?? last }
        guard end < bytes.count else { return }
        if isWrong, inspection.hasDurableWrites(behind: last, from: end + 1) {
            throw StoreError(
                .corrupted,
                "\(path) is damaged after byte \(end), and acknowledged writes follow: restore a backup, or "
                    + "truncate the "
                    + "file to \(end) bytes to continue without them")
        }
        try cut(path, to: end)
    }

    /// Calls `body` with the writes of a file of this form that are there as a whole.
    static func forEachWrite(path: String, _ body: ([UInt8]) -> Void) throws(StoreError) {
        _ = LevelDBLogInspection(bytes: try contents(of: path)).endOfWholeWrites(body)
    }

    /// The bytes of a file of this form up to the end of its last whole write; `body` is called with each of these.
    static func wholeWrites(of path: String, _ body: ([UInt8]) -> Void) throws(StoreError) -> [UInt8] {
        let inspection = LevelDBLogInspection(bytes: try contents(of: path))
        return Array(inspection.bytes.prefix(inspection.endOfWholeWrites(body).end))
    }

    /// Where the last write ends that is there as a whole, and whether what follows is not just the beginning of one.
    private func endOfWholeWrites(_ body: ([UInt8]) -> Void = { _ in }) -> (end: Int, isWrong: Bool) {
        var (place, end) = (0, 0)
        var isInWrite = false
        var write: [UInt8] = []
        while place < bytes.count {
            switch piece(at: place) {
            case .filling:
                place = nextBlock(after: place)
            case .wrong:
                return (end, true)
            case .piece(let piece):
                let begins = piece.kind == .whole || piece.kind == .first
                guard begins != isInWrite else { return (end, true) }
                isInWrite = piece.kind == .first || piece.kind == .middle
                write.append(contentsOf: bytes[place + Self.headerSize..<piece.end])
                place = piece.end
                if isInWrite { continue }
                end = place
                body(write)
                write.removeAll(keepingCapacity: true)
            }
        }
        return (isInWrite ? end : min(place, bytes.count), false)
    }

    /// Whether a write from `place` on says that something was on disk that is not whole behind `last`, the last one that
    /// is.
    private func hasDurableWrites(behind last: LoggedWrite?, from place: Int) -> Bool {
        guard place < bytes.count, !bytes[place...].allSatisfy({ $0 == 0 }) else { return false }
        var firstMissing = last?.next
        return (place..<bytes.count).contains { place in
            guard case .piece(let piece) = piece(at: place), piece.kind == .whole || piece.kind == .first,
                let write = LoggedWrite(bytes[place + Self.headerSize..<piece.end])
            else { return false }
            // What is missing at the beginning of a log is at least the one before the first that is there.
            let missing = firstMissing ?? write.sequence &- 1
            firstMissing = missing
            return write.firstNotDurable > missing
        }
    }

    private func piece(at place: Int) -> Finding {
        let endOfBlock = min(nextBlock(after: place), bytes.count)
        guard endOfBlock - place >= Self.headerSize else {
            return bytes[place..<endOfBlock].allSatisfy { $0 == 0 } ? .filling : .wrong
        }
        let size = Int(bytes[place + 4]) | Int(bytes[place + 5]) << 8
        guard let kind = Kind(rawValue: bytes[place + 6]) else { return .wrong }
        let end = place + Self.headerSize + size
        guard end <= endOfBlock, stored(at: place) == checksum(of: place + 6..<end) else { return .wrong }
        return .piece(Piece(kind: kind, end: end))
    }

    private func nextBlock(after place: Int) -> Int { (place / Self.blockSize + 1) * Self.blockSize }

    private func stored(at place: Int) -> UInt32 {
        bytes.withUnsafeBytes { UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: place, as: UInt32.self)) }
    }

    private func checksum(of range: Range<Int>) -> UInt32 {
        bytes.withUnsafeBytes { bytes in
            let piece = UnsafeRawBufferPointer(rebasing: bytes[range])
            return cleveldb_mask_crc32c(cleveldb_crc32c(0, piece.baseAddress, piece.count))
        }
    }

    /// All bytes of a file.
    static func contents(of path: String) throws(StoreError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreError(system: errno, while: "opening \(path)") }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw StoreError(system: errno, while: "reading \(path)") }
        let size = Int(status.st_size)
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size {
                let got = pread(descriptor, buffer.baseAddress.map { $0 + count }, size - count, off_t(count))
                if got < 0, errno == EINTR { continue }
                if got < 0 { failure = errno }
                if got <= 0 { break }
                count += got
            }
        }
        guard failure == 0 else { throw StoreError(system: failure, while: "reading \(path)") }
        return bytes
    }

    private static func cut(_ path: String, to size: Int) throws(StoreError) {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreError(system: errno, while: "opening \(path)") }
        defer { close(descriptor) }
        guard ftruncate(descriptor, off_t(size)) == 0, fsync(descriptor) == 0 else {
            throw StoreError(system: errno, while: "truncating the incomplete end of \(path)")
        }
    }
}
