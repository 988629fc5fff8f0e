import Glibc

/// Looks into the log that a killed process left, before SQLite does.
///
/// SQLite takes a log up to the first frame whose checksum is wrong, because that is how a commit looks that a crash
/// cut off. A damaged frame looks the same, and all commits behind it would silently be lost. But a commit begins only
/// when the one before it is on disk, so where two more commits follow, nothing was cut off: the log is damaged.
struct LogInspection {
    private static let headerSize = 32
    private static let frameHeaderSize = 24
    private static let magicOfLittleEndianChecksums: UInt32 = 0x377F_0682
    /// Commits behind a wrong frame: one may have been under way, which tells nothing.
    private static let commitsThatProveDamage = 2

    private let descriptor: Int32
    private var buffer: [UInt8]
    private var salts: ArraySlice<UInt8> = []
    private var checksum: (UInt32, UInt32) = (0, 0)

    /// - Throws: ``StoreError/Code/corrupted`` if the log is damaged before its last commits.
    static func check(path: String) throws(StoreError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return }
            throw StoreError(system: errno, while: "opening \(path)")
        }
        defer { close(descriptor) }
        var inspection = LogInspection(descriptor)
        guard let frame = try inspection.firstWrongFrame(path) else { return }
        guard try inspection.commits(from: frame, path) >= commitsThatProveDamage else { return }
        throw StoreError(
            .corrupted,
            "\(path) is damaged at frame \(frame), and acknowledged commits follow: restore a backup, or "
                + "remove the file to continue without its data")
    }

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
        buffer = [UInt8](repeating: 0, count: Self.frameHeaderSize + PageChecksum.pageSize)
    }

    /// The first frame from which on SQLite would ignore the log; nil if there is none, or it is not to be judged.
    private mutating func firstWrongFrame(_ path: String) throws(StoreError) -> Int? {
        guard try read(Self.headerSize, at: 0, path) else { return nil }
        salts = buffer[16..<24]
        // The other order is written on machines with the other order of bytes.
        guard number(at: 0) == Self.magicOfLittleEndianChecksums, Int(number(at: 8)) == PageChecksum.pageSize else {
            return 0
        }
        add(0..<24)
        guard checksum == (number(at: 24), number(at: 28)) else { return 0 }
        var frame = 0
        while try read(buffer.count, at: offset(of: frame), path) {
            add(0..<8)
            add(Self.frameHeaderSize..<buffer.count)
            guard buffer[8..<16] == salts, checksum == (number(at: 16), number(at: 20)) else { return frame }
            frame += 1
        }
        return nil
    }

    /// Frames of this log, not of one before it in the same file, that end a commit.
    private mutating func commits(from first: Int, _ path: String) throws(StoreError) -> Int {
        var (frame, commits) = (first, 0)
        while try read(Self.frameHeaderSize, at: offset(of: frame), path) {
            if buffer[8..<16] == salts, number(at: 4) != 0 { commits += 1 }
            frame += 1
        }
        return commits
    }

    private func offset(of frame: Int) -> Int { Self.headerSize + frame * buffer.count }

    /// Whether `count` bytes are there.
    private mutating func read(_ count: Int, at offset: Int, _ path: String) throws(StoreError) -> Bool {
        let got = buffer.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, count, off_t(offset)) }
        guard got >= 0 else { throw StoreError(system: errno, while: "reading \(path)") }
        return got == count
    }

    private func number(at offset: Int) -> UInt32 {
        buffer.withUnsafeBytes { UInt32(bigEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
    }

    /// The checksum of SQLite's log: of all before, then of these bytes.
    private mutating func add(_ range: Range<Int>) {
        let (first, second) = checksum
        checksum = buffer.withUnsafeBytes { bytes in
            var (a, b) = (first, second)
            for offset in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
                a &+= UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) &+ b
                b &+= UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)) &+ a
            }
            return (a, b)
        }
    }
}
