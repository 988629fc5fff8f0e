import StratusCZlib
import StratusCloudModel

/// Makes a zip archive piece by piece. It keeps a line of each entry for the directory at the end, and no content.
///
/// The bytes of an entry are compressed while they come, so their checksum and size follow them (a data descriptor).
/// Whatever is beyond 4 GiB or 65,535 entries is written with the extension for that (zip64).
final class ZipStream {
    /// The kind of an entry.
    struct Entry {
        /// The path, with a slash at the end for a folder.
        var path: String
        /// Type and permissions as Unix has them.
        var mode: UInt32
        /// Milliseconds since 1970-01-01 UTC.
        var modified: Int64
        /// Bytes that are expected.
        var size: Int64
    }

    private struct Written {
        let path: [UInt8]
        let mode: UInt32
        let modified: Int64
        let isLarge: Bool
        let offset: UInt64
        var checksum: UInt32 = 0
        var compressed: UInt64 = 0
        var size: UInt64 = 0
    }

    /// Compression writes a little more than it gets where nothing can be gained.
    private static let sizeLimit: UInt64 = 0xFF00_0000

    private let limit: UInt64
    private let countLimit: Int
    private var entries: [Written] = []
    private var offset: UInt64 = 0
    private let deflation: Deflation

    /// - Parameters:
    ///   - limit: Bytes, and offsets, from which the extension is used.
    ///   - countLimit: Entries from which it is used.
    /// - Throws: `internalError` if zlib has no memory.
    init(limit: UInt64 = ZipStream.sizeLimit, countLimit: Int = 0xFFFF) throws(CloudError) {
        self.limit = limit
        self.countLimit = countLimit
        deflation = try Deflation()
    }

    /// Begins an entry.
    func begin(_ entry: Entry) -> [UInt8] {
        let isLarge = UInt64(max(0, entry.size)) >= limit
        let written = Written(
            path: Array(entry.path.utf8), mode: entry.mode, modified: entry.modified, isLarge: isLarge, offset: offset)
        entries.append(written)
        var bytes = ZipBytes()
        bytes.add(UInt32(0x0403_4B50))
        bytes.add(UInt16(isLarge ? 45 : 20))
        Self.addDescription(of: written, to: &bytes)
        // Checksum and sizes follow the content; the extension's field stands for large sizes.
        bytes.add(UInt32(0))
        for _ in 0..<2 { bytes.add(isLarge ? UInt32.max : UInt32(0)) }
        let time = Self.timeField(written.modified)
        bytes.add(UInt16(written.path.count))
        bytes.add(UInt16(time.count + (isLarge ? 20 : 0)))
        bytes.add(written.path)
        if isLarge {
            bytes.add(UInt16(1))
            bytes.add(UInt16(16))
            bytes.add(UInt64(0))
            bytes.add(UInt64(0))
        }
        bytes.add(time)
        return put(bytes.bytes)
    }

    /// Takes bytes of the entry's content.
    func add(_ content: [UInt8]) throws(CloudError) -> [UInt8] {
        guard !entries.isEmpty, !content.isEmpty else { return [] }
        let last = entries.count - 1
        entries[last].size += UInt64(content.count)
        entries[last].checksum = UInt32(
            truncatingIfNeeded: crc32(UInt(entries[last].checksum), content, UInt32(content.count)))
        let bytes = try deflation.run(content, isLast: false)
        entries[last].compressed += UInt64(bytes.count)
        return put(bytes)
    }

    /// Ends an entry.
    func end() throws(CloudError) -> [UInt8] {
        guard !entries.isEmpty else { return [] }
        let last = entries.count - 1
        let rest = try deflation.run([], isLast: true)
        entries[last].compressed += UInt64(rest.count)
        let entry = entries[last]
        var bytes = ZipBytes(rest)
        bytes.add(UInt32(0x0807_4B50))
        bytes.add(entry.checksum)
        if entry.isLarge {
            bytes.add(entry.compressed)
            bytes.add(entry.size)
        } else {
            bytes.add(UInt32(truncatingIfNeeded: entry.compressed))
            bytes.add(UInt32(truncatingIfNeeded: entry.size))
        }
        return put(bytes.bytes)
    }

    /// The line of an entry in the directory at the end, by its place.
    private func directoryEntry(_ entry: Written) -> [UInt8] {
        let hasLargeOffset = entry.offset >= limit
        let isLarge = entry.isLarge || hasLargeOffset
        let time = Self.timeField(entry.modified)
        let largeSize = (entry.isLarge ? 16 : 0) + (hasLargeOffset ? 8 : 0)
        var bytes = ZipBytes()
        bytes.add(UInt32(0x0201_4B50))
        // Made on Unix, whose file modes are the upper half of the attributes.
        bytes.add(UInt16(3 << 8 | 45))
        bytes.add(UInt16(isLarge ? 45 : 20))
        Self.addDescription(of: entry, to: &bytes)
        bytes.add(entry.checksum)
        bytes.add(entry.isLarge ? UInt32.max : UInt32(truncatingIfNeeded: entry.compressed))
        bytes.add(entry.isLarge ? UInt32.max : UInt32(truncatingIfNeeded: entry.size))
        bytes.add(UInt16(entry.path.count))
        bytes.add(UInt16(time.count + (isLarge ? 4 + largeSize : 0)))
        for _ in 0..<3 { bytes.add(UInt16(0)) }
        bytes.add(entry.mode << 16)
        bytes.add(hasLargeOffset ? UInt32.max : UInt32(truncatingIfNeeded: entry.offset))
        bytes.add(entry.path)
        if isLarge {
            bytes.add(UInt16(1))
            bytes.add(UInt16(largeSize))
            if entry.isLarge {
                bytes.add(entry.size)
                bytes.add(entry.compressed)
            }
            if hasLargeOffset { bytes.add(entry.offset) }
        }
        bytes.add(time)
        return bytes.bytes
    }

    /// Ends the archive.
    /// - Parameter write: Gets the directory in pieces.
    func finish(_ write: ([UInt8]) async throws -> Void) async throws {
        let start = offset
        var piece: [UInt8] = []
        for index in entries.indices {
            piece += put(directoryEntry(entries[index]))
            guard piece.count >= 65_536 else { continue }
            try await write(piece)
            piece = []
        }
        try await write(piece + ending(from: start))
    }

    private func ending(from start: UInt64) -> [UInt8] {
        let size = offset - start
        let isLarge = start >= limit || size >= limit || entries.count >= countLimit
        var bytes = ZipBytes()
        if isLarge {
            bytes.add(UInt32(0x0606_4B50))
            bytes.add(UInt64(44))
            bytes.add(UInt16(3 << 8 | 45))
            bytes.add(UInt16(45))
            bytes.add(UInt32(0))
            bytes.add(UInt32(0))
            bytes.add(UInt64(entries.count))
            bytes.add(UInt64(entries.count))
            bytes.add(size)
            bytes.add(start)
            bytes.add(UInt32(0x0706_4B50))
            bytes.add(UInt32(0))
            bytes.add(offset)
            bytes.add(UInt32(1))
        }
        bytes.add(UInt32(0x0605_4B50))
        bytes.add(UInt32(0))
        for _ in 0..<2 { bytes.add(isLarge ? UInt16.max : UInt16(truncatingIfNeeded: entries.count)) }
        bytes.add(isLarge ? UInt32.max : UInt32(truncatingIfNeeded: size))
        bytes.add(isLarge ? UInt32.max : UInt32(truncatingIfNeeded: start))
        bytes.add(UInt16(0))
        return bytes.bytes
    }

    private func put(_ bytes: [UInt8]) -> [UInt8] {
        offset += UInt64(bytes.count)
        return bytes
    }

    /// Flags (descriptor, names in UTF-8), method and date. The date of the format is local time without a zone, so it
    /// is left at its first day, and the time field says when.
    private static func addDescription(of entry: Written, to bytes: inout ZipBytes) {
        bytes.add(UInt16(1 << 3 | 1 << 11))
        bytes.add(UInt16(8))
        bytes.add(UInt32(0x0021_0000))
    }

    /// The extended timestamp: seconds since 1970-01-01 UTC.
    private static func timeField(_ milliseconds: Int64) -> [UInt8] {
        var bytes = ZipBytes()
        bytes.add(UInt16(0x5455))
        bytes.add(UInt16(5))
        bytes.add([1])
        bytes.add(UInt32(bitPattern: Int32(clamping: milliseconds / 1_000)))
        return bytes.bytes
    }
}

/// Little-endian numbers one after the other.
private struct ZipBytes {
    var bytes: [UInt8]

    init(_ bytes: [UInt8] = []) { self.bytes = bytes }

    mutating func add(_ more: [UInt8]) { bytes += more }

    mutating func add(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
    }
}
