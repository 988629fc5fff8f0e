import Foundation
import StratusCZlib

/// Writes zip files, without the extension for larger ones.
struct ZipArchive {
    /// The limits of a zip file without the extension ZIP64. `Documentation/limits.md` lists the values.
    struct Limits {
        /// Bytes of all entries together, and of each: the largest number stands for the extension.
        var bytes = Int(UInt32.max) - 1
        /// Files, directories and links: the largest number stands for the extension.
        var entries = Int(UInt16.max) - 1
    }

    private struct Entry {
        let name: [UInt8]
        let mode: UInt32
        var checksum: UInt32 = 0
        var compressed = 0
        var size = 0
        var offset = 0
    }

    /// Bytes of a file that are in memory at a time.
    private static let piece = 1 << 18
    private static let deflated: UInt16 = 8

    private let file: FileHandle
    private let limits: Limits
    private var entries: [Entry] = []
    private var offset = 0

    /// Writes a directory with everything in it, under the directory's name.
    /// - Throws: `fileWriteOutOfSpace` beyond the limits.
    static func write(directory: URL, to url: URL, limits: Limits = Limits()) throws {
        guard FileManager.default.createFile(atPath: url.path, contents: nil) else {
            throw CoordinationDirectory.error(errno, url.path)
        }
        var archive = ZipArchive(file: try FileHandle(forWritingTo: url), limits: limits)
        try archive.add(directory, as: directory.lastPathComponent)
        try archive.finish()
    }

    private init(file: FileHandle, limits: Limits) {
        self.file = file
        self.limits = limits
    }

    private mutating func add(_ item: URL, as name: String) throws {
        let attributes = try FileManager.default.attributesOfItem(atPath: item.path)
        let permissions = (attributes[.posixPermissions] as? NSNumber)?.uint32Value ?? 0o644
        switch attributes[.type] as? FileAttributeType {
        case .typeDirectory?:
            try add(Entry(name: Array((name + "/").utf8), mode: 0o040000 | permissions), [])
            for child in try FileManager.default.contentsOfDirectory(atPath: item.path).sorted() {
                try add(item.appendingPathComponent(child), as: name + "/" + child)
            }
        case .typeSymbolicLink?:
            let target = try FileManager.default.destinationOfSymbolicLink(atPath: item.path)
            try add(Entry(name: Array(name.utf8), mode: 0o120777), Array(target.utf8))
        case .typeRegular?:
            let source = try FileHandle(forReadingFrom: item)
            defer { try? source.close() }
            try add(Entry(name: Array(name.utf8), mode: 0o100000 | permissions)) {
                try source.read(upToCount: Self.piece).map { [UInt8]($0) } ?? []
            }
        default: break
        }
    }

    private mutating func add(_ entry: Entry, _ bytes: [UInt8]) throws {
        var rest: [UInt8]? = bytes
        try add(entry) {
            defer { rest = nil }
            return rest ?? []
        }
    }

    private mutating func add(_ entry: Entry, _ next: () throws -> [UInt8]) throws {
        var entry = entry
        entry.offset = offset
        try put(Self.header(entry))
        let start = offset
        let deflation = Deflation()
        while true {
            let bytes = try next()
            entry.size += bytes.count
            entry.checksum = UInt32(truncatingIfNeeded: crc32(UInt(entry.checksum), bytes, UInt32(bytes.count)))
            try put(deflation.run(bytes, isLast: bytes.isEmpty))
            try checkSize(of: entry)
            if bytes.isEmpty { break }
        }
        entry.compressed = offset - start
        guard entries.count < limits.entries else {
            throw Self.error("a zip file has at most \(limits.entries) entries")
        }
        try file.seek(toOffset: UInt64(entry.offset))
        try file.write(contentsOf: Data(Self.header(entry)))
        try file.seek(toOffset: UInt64(offset))
        entries.append(entry)
    }

    private func checkSize(of entry: Entry) throws {
        guard offset <= limits.bytes, entry.size <= limits.bytes else {
            throw Self.error("a zip file has at most \(limits.bytes) bytes")
        }
    }

    private static func error(_ text: String) -> CocoaError {
        CocoaError(.fileWriteOutOfSpace, userInfo: [NSLocalizedDescriptionKey: text])
    }

    private mutating func finish() throws {
        let start = offset
        for entry in entries { try put(Self.directoryEntry(entry)) }
        let size = offset - start
        try put(
            Self.bytes(UInt32(0x0605_4B50)) + Self.bytes(UInt16(0)) + Self.bytes(UInt16(0))
                + Self.bytes(UInt16(entries.count)) + Self.bytes(UInt16(entries.count)) + Self.bytes(UInt32(size))
                + Self.bytes(UInt32(start)) + Self.bytes(UInt16(0)))
        try file.close()
    }

    private mutating func put(_ bytes: [UInt8]) throws {
        try file.write(contentsOf: Data(bytes))
        offset += bytes.count
    }

    /// The fields that the header before an entry's bytes and the directory at the end have in common.
    private static func description(_ entry: Entry) -> [UInt8] {
        // Version 2.0, names in UTF-8, no date.
        bytes(UInt16(20)) + bytes(UInt16(1 << 11)) + bytes(deflated) + bytes(UInt32(0x0021_0000))
            + bytes(entry.checksum) + bytes(UInt32(entry.compressed)) + bytes(UInt32(entry.size))
            + bytes(UInt16(entry.name.count)) + bytes(UInt16(0))
    }

    private static func header(_ entry: Entry) -> [UInt8] {
        bytes(UInt32(0x0403_4B50)) + description(entry) + entry.name
    }

    private static func directoryEntry(_ entry: Entry) -> [UInt8] {
        // Made on Unix, whose file modes are the upper half of the attributes.
        bytes(UInt32(0x0201_4B50)) + bytes(UInt16(3 << 8 | 20)) + description(entry) + bytes(UInt16(0))
            + bytes(UInt16(0)) + bytes(UInt16(0)) + bytes(entry.mode << 16) + bytes(UInt32(entry.offset)) + entry.name
    }

    private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
}

/// Compresses the bytes of one entry.
private final class Deflation {
    private var stream = z_stream()

    init() {
        let status = deflateInit2_(
            &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        precondition(status == Z_OK, "zlib cannot be set up")
    }

    deinit { deflateEnd(&stream) }

    func run(_ bytes: [UInt8], isLast: Bool) -> [UInt8] {
        var input = bytes
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        input.withUnsafeMutableBufferPointer { input in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(input.count)
            repeat {
                let size = buffer.count
                buffer.withUnsafeMutableBufferPointer { buffer in
                    stream.next_out = buffer.baseAddress
                    stream.avail_out = UInt32(size)
                    deflate(&stream, isLast ? Z_FINISH : Z_NO_FLUSH)
                }
                output += buffer[..<(size - Int(stream.avail_out))]
            } while stream.avail_out == 0
        }
        return output
    }
}
