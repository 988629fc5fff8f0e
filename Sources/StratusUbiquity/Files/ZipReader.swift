import Foundation
import Glibc
import StratusCZlib
import StratusCloudModel

/// Unpacks a zip file of a package, which any client of the person's, or of somebody they share with, may have made.
///
/// Entries are written through open directories, without following a link, and symbolic links are made last. So nothing
/// is written outside of the new directory, whatever the archive says.
package struct ZipReader {
    /// Limits of an archive. `Documentation/limits.md` lists the values.
    package struct Limits {
        /// Bytes of all contents together.
        var bytes: Int
        /// Files, directories and links.
        var entries: Int
        /// Directories around an entry.
        var depth: Int

        package init(
            bytes: Int = Int(UInt32.max) - 1, entries: Int = Int(UInt16.max) - 1, depth: Int = FileLimits.folderDepth
        ) {
            (self.bytes, self.entries, self.depth) = (bytes, entries, depth)
        }
    }

    /// A reason why an archive cannot be unpacked.
    struct Failure: Error, Hashable, CustomStringConvertible {
        var description: String

        init(_ description: String) { self.description = description }
    }

    struct Entry: Hashable {
        /// The names on the way from the package to the entry; empty for the package itself.
        var path: [String]
        var mode: UInt32
        var method: UInt16
        var checksum: UInt32
        var compressed: Int
        var size: Int
        var offset: Int

        var isDirectory: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFDIR) }
        var isLink: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFLNK) }
    }

    private let data: Data
    private let limits: Limits

    /// - Parameter path: A file that nobody changes meanwhile.
    package init(path: String, limits: Limits = Limits()) throws {
        data = try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
        self.limits = limits
    }

    /// Unpacks what is in the archive's only folder into a new directory.
    /// - Throws: ``Failure`` for an archive that is damaged, too large or unsafe. The directory is then not whole.
    package func unpack(to path: String) throws {
        let entries = try entries()
        guard mkdir(path, 0o700) == 0 else { throw DriveFailure.system(errno, path) }
        let root = try DriveDirectory.root(path)
        for entry in entries where entry.isDirectory && !entry.path.isEmpty { try makeFolder(entry.path, in: root) }
        for entry in entries where !entry.isDirectory && !entry.isLink { try write(entry, in: root) }
        for entry in entries where entry.isLink { try link(entry, in: root) }
    }

    // MARK: - The directory at the end

    /// The entries, without the name of the folder around all of them.
    func entries() throws -> [Entry] {
        let end = try endOfDirectory()
        let count = Int(try number(UInt16.self, at: end + 10))
        let size = Int(try number(UInt32.self, at: end + 12))
        var offset = Int(try number(UInt32.self, at: end + 16))
        guard count <= limits.entries else { throw Failure("the archive has more than \(limits.entries) entries") }
        guard offset + size <= end else { throw Failure("the archive's directory lies outside of it") }
        var entries: [Entry] = []
        var bytes = 0
        var folder: String?
        for _ in 0..<count {
            var (entry, next) = try entry(at: offset)
            let name = entry.path.removeFirst()
            guard folder == nil || folder == name else { throw Failure("the archive has more than one folder") }
            folder = name
            guard entry.isDirectory || !entry.path.isEmpty else { throw Failure("the archive has no folder") }
            bytes += entry.size
            guard bytes <= limits.bytes else { throw Failure("the contents have more than \(limits.bytes) bytes") }
            entries.append(entry)
            offset = next
        }
        return entries
    }

    private func endOfDirectory() throws -> Int {
        let shortest = 22
        var end = data.count - shortest
        // A comment may follow, which has a length of 16 bits.
        let first = max(0, end - Int(UInt16.max))
        while end >= first {
            if try number(UInt32.self, at: end) == 0x0605_4B50 { return end }
            end -= 1
        }
        throw Failure("the file is not a zip archive")
    }

    private func entry(at offset: Int) throws -> (Entry, next: Int) {
        guard try number(UInt32.self, at: offset) == 0x0201_4B50 else {
            throw Failure("the archive's directory is damaged")
        }
        let flags = try number(UInt16.self, at: offset + 8)
        guard flags & 1 == 0 else { throw Failure("the archive is encrypted") }
        let nameSize = Int(try number(UInt16.self, at: offset + 28))
        let extra = Int(try number(UInt16.self, at: offset + 30)) + Int(try number(UInt16.self, at: offset + 32))
        let start = offset + 46
        guard start + nameSize <= data.count,
            let name = String(validating: data[start..<start + nameSize], as: UTF8.self)
        else { throw Failure("an entry has no name in UTF-8") }
        let madeOnUnix = try number(UInt16.self, at: offset + 4) >> 8 == 3
        let isDirectory = name.hasSuffix("/")
        var mode = madeOnUnix ? try number(UInt32.self, at: offset + 38) >> 16 : 0
        if mode & UInt32(S_IFMT) == 0 { mode = mode | UInt32(isDirectory ? S_IFDIR | 0o755 : S_IFREG | 0o644) }
        let entry = Entry(
            path: try path(name), mode: mode, method: try number(UInt16.self, at: offset + 10),
            checksum: try number(UInt32.self, at: offset + 16),
            compressed: Int(try number(UInt32.self, at: offset + 20)),
            size: Int(try number(UInt32.self, at: offset + 24)), offset: Int(try number(UInt32.self, at: offset + 42)))
        guard entry.isDirectory == isDirectory,
            entry.isDirectory || entry.isLink || mode & UInt32(S_IFMT) == UInt32(S_IFREG)
        else { throw Failure("'\(name)' is neither a file, a folder nor a link") }
        guard entry.method == 0 || entry.method == 8 else { throw Failure("'\(name)' is packed in an unknown way") }
        return (entry, start + nameSize + extra)
    }

    /// The names of a path, each of which can be that of an item.
    private func path(_ name: String) throws -> [String] {
        let trimmed = name.hasSuffix("/") ? String(name.dropLast()) : name
        let names = trimmed.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard names.count <= limits.depth + 1 else {
            throw Failure("an entry has more than \(limits.depth) folders around it")
        }
        for name in names {
            do throws(CloudError) { try FileName.check(name) } catch {
                throw Failure("'\(name)' cannot be the name of an item")
            }
        }
        return names
    }

    private func number<Number: FixedWidthInteger>(_ type: Number.Type, at offset: Int) throws -> Number {
        let size = MemoryLayout<Number>.size
        guard offset >= 0, offset + size <= data.count else { throw Failure("the archive is cut off") }
        let start = data.startIndex + offset
        return data[start..<start + size].reversed().reduce(0) { $0 << 8 | Number($1) }
    }

    // MARK: - Writing

    private func folder(_ names: some Sequence<String>, in root: DriveDirectory) throws -> DriveDirectory {
        var directory = root
        for name in names { directory = try directory.open(name) }
        return directory
    }

    private func makeFolder(_ path: [String], in root: DriveDirectory) throws {
        guard let name = path.last else { return }
        try folder(path.dropLast(), in: root).makeFolder(name)
    }

    private func write(_ entry: Entry, in root: DriveDirectory) throws {
        guard let name = entry.path.last else { return }
        let file = try folder(entry.path.dropLast(), in: root).createFile(
            name, mode: entry.mode & 0o100 == 0 ? 0o644 : 0o755)
        defer { close(file) }
        try contents(of: entry) { bytes in
            var rest = bytes
            while !rest.isEmpty {
                let count = Glibc.write(file, rest.baseAddress, rest.count)
                guard count > 0 else { throw DriveFailure.system(errno, name) }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }

    private func link(_ entry: Entry, in root: DriveDirectory) throws {
        guard let name = entry.path.last, entry.size <= FileLimits.targetSize else {
            throw Failure("the target of a link has more than \(FileLimits.targetSize) bytes")
        }
        var target: [UInt8] = []
        try contents(of: entry) { target += $0 }
        guard let text = String(validating: target, as: UTF8.self), !text.isEmpty, !target.contains(0) else {
            throw Failure("the target of the link '\(name)' is not a path")
        }
        try folder(entry.path.dropLast(), in: root).makeLink(name, to: text)
    }

    /// Calls `body` with the bytes of an entry, piece by piece, and checks their number and checksum.
    private func contents(of entry: Entry, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard try number(UInt32.self, at: entry.offset) == 0x0403_4B50 else { throw Failure("an entry is damaged") }
        let head =
            Int(try number(UInt16.self, at: entry.offset + 26)) + Int(try number(UInt16.self, at: entry.offset + 28))
        let start = entry.offset + 30 + head
        guard start + entry.compressed <= data.count else { throw Failure("an entry is cut off") }
        var checksum: UInt = 0
        var size = 0
        func take(_ bytes: UnsafeRawBufferPointer) throws {
            size += bytes.count
            guard size <= entry.size else { throw Failure("an entry is longer than the archive says") }
            checksum = crc32(checksum, bytes.bindMemory(to: UInt8.self).baseAddress, UInt32(bytes.count))
            try body(bytes)
        }
        try data.withUnsafeBytes { all in
            let packed = UnsafeRawBufferPointer(rebasing: all[start..<start + entry.compressed])
            if entry.method == 0 { try take(packed) } else { try Inflation.run(packed) { try take($0) } }
        }
        guard size == entry.size, UInt32(truncatingIfNeeded: checksum) == entry.checksum else {
            throw Failure("an entry's content is not the one that was packed")
        }
    }
}

/// Unpacks the bytes of one entry.
private enum Inflation {
    private static let piece = 1 << 18

    static func run(_ input: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        var stream = z_stream()
        guard inflateInit2_(&stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw ZipReader.Failure("zlib cannot be set up")
        }
        defer { inflateEnd(&stream) }
        // zlib does not write to its input.
        stream.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
        stream.avail_in = UInt32(input.count)
        var buffer = [UInt8](repeating: 0, count: piece)
        while true {
            let status = buffer.withUnsafeMutableBufferPointer { buffer in
                stream.next_out = buffer.baseAddress
                stream.avail_out = UInt32(buffer.count)
                return inflate(&stream, Z_NO_FLUSH)
            }
            guard status == Z_OK || status == Z_STREAM_END else {
                throw ZipReader.Failure("an entry's content is damaged")
            }
            let count = piece - Int(stream.avail_out)
            guard count > 0 || status == Z_STREAM_END else { throw ZipReader.Failure("an entry's content is cut off") }
            try buffer.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            if status == Z_STREAM_END { return }
        }
    }
}
