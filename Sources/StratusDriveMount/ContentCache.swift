import Foundation
import Glibc
import StratusCFUSE
import StratusCloudCrypto
import StratusCloudModel
import StratusWorkers

/// The contents of files on this machine: those that the server has, up to a number of bytes, and those that it does
/// not have yet, which stay until it has them.
///
/// The two kinds have directories of their own, because programs that clean caches remove the former at any time, and
/// backups leave them out. All functions block.
final class ContentCache: Sendable {
    private struct Entry: Sendable {
        var size: Int64
        var used: UInt64
        var openings = 0
    }

    private struct State: Sendable {
        /// Contents that the server has, by the names of their files.
        var entries: [String: Entry] = [:]
        var total: Int64 = 0
        var clock: UInt64 = 0
    }

    /// Bytes that are copied or read for a checksum at once.
    private static let pieceSize = 1 << 20
    private static let unsentPrefix = "new-"
    private static let partialPrefix = "part-"

    /// The directory of contents that the server has, and of those that are on their way from it.
    private let directory: String
    private let unsentDirectory: String
    let limit: Int64
    private let state = Lock(State())

    /// Opens the cache. Files of an earlier mount that are neither whole nor unsent are removed.
    /// - Parameter unsent: The names of contents that the server does not have.
    init(directory: String, unsentDirectory: String, limit: Int64, unsent: Set<String>) throws {
        self.directory = directory
        self.unsentDirectory = unsentDirectory
        self.limit = limit
        for path in [directory, unsentDirectory] {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: unsentDirectory) where !unsent.contains(name) {
            unlink(unsentDirectory + "/" + name)
        }
        var found: [(name: String, size: Int64, used: Int)] = []
        for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
            var status = stat()
            let isWhole = !name.hasPrefix(Self.partialPrefix) && !name.hasPrefix(Self.unsentPrefix)
            guard isWhole, lstat(path(name), &status) == 0 else {
                unlink(directory + "/" + name)
                continue
            }
            found.append((name, Int64(status.st_size), status.st_mtim.tv_sec))
        }
        for file in found.sorted(by: { $0.used < $1.used }) { add(file.name, size: file.size) }
        trim()
    }

    func path(_ name: String) -> String {
        (name.hasPrefix(Self.unsentPrefix) ? unsentDirectory : directory) + "/" + name
    }

    /// Opens a content that the server has; nil if it is not here.
    func open(checksum: String) -> Descriptor? {
        let name = Self.name(of: checksum)
        let isHere = state.withLock { state in
            guard state.entries[name] != nil else { return false }
            state.clock += 1
            state.entries[name]?.used = state.clock
            state.entries[name]?.openings += 1
            return true
        }
        guard isHere else { return nil }
        let descriptor = Glibc.open(path(name), O_RDONLY | O_CLOEXEC)
        if descriptor < 0 {
            // The file was removed from the directory.
            forget(name)
            return nil
        }
        utimensat(AT_FDCWD, path(name), nil, 0)
        return Descriptor(descriptor)
    }

    /// Ends the use that ``open(checksum:)`` or ``keep(_:checksum:size:)`` began.
    func close(checksum: String) {
        let name = Self.name(of: checksum)
        state.withLock { $0.entries[name]?.openings -= 1 }
        trim()
    }

    func contains(checksum: String) -> Bool {
        state.withLock { $0.entries[Self.name(of: checksum)] != nil }
    }

    /// Makes an empty file for a content that programs write.
    func makeUnsentFile() throws(SystemError) -> (name: String, descriptor: Descriptor) {
        try makeFile(Self.unsentPrefix)
    }

    /// Makes an empty file for a content that comes from the server.
    func makePartialFile() throws(SystemError) -> (name: String, descriptor: Descriptor) {
        try makeFile(Self.partialPrefix)
    }

    private func makeFile(_ prefix: String) throws(SystemError) -> (name: String, descriptor: Descriptor) {
        let name = prefix + UUID().uuidString
        let descriptor = Glibc.open(path(name), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .last }
        return (name, Descriptor(descriptor))
    }

    /// A second name of a file, as one with an unsent content.
    func link(_ name: String) throws(SystemError) -> String {
        let other = Self.unsentPrefix + UUID().uuidString
        guard Glibc.link(path(name), path(other)) != 0 else { return other }
        guard errno == EXDEV else { throw .last }
        return try copy(name, Self.unsentPrefix)
    }

    /// Copies a file, where the directories are on different file systems.
    /// - Returns: the name of the copy.
    private func copy(_ name: String, _ prefix: String) throws(SystemError) -> String {
        let number = Glibc.open(path(name), O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw .last }
        let source = Descriptor(number)
        let (copy, target) = try makeFile(prefix)
        do throws(SystemError) {
            try Self.copy(from: source, to: target)
        } catch {
            remove(copy)
            throw error
        }
        return copy
    }

    /// A second name of a content that the server has, which stays when the cache gives that up.
    func link(checksum: String) throws(SystemError) -> String { try link(Self.name(of: checksum)) }

    func remove(_ name: String) { unlink(path(name)) }

    /// Keeps a file as a content that the server has.
    /// - Parameter isOpen: Whether it is in use until ``close(checksum:)``.
    func keep(_ name: String, checksum: String, size: Int64, isOpen: Bool) {
        let kept = Self.name(of: checksum)
        guard move(name, to: kept) else { return remove(name) }
        add(kept, size: size)
        if isOpen { state.withLock { $0.entries[kept]?.openings += 1 } }
        trim()
    }

    private func move(_ name: String, to kept: String) -> Bool {
        if rename(path(name), path(kept)) == 0 { return true }
        // Without room for a copy the content is downloaded when it is wanted again.
        guard errno == EXDEV, let copy = try? copy(name, Self.partialPrefix) else { return false }
        remove(name)
        guard rename(path(copy), path(kept)) != 0 else { return true }
        remove(copy)
        return false
    }

    /// The checksum of a file's bytes, as the server has it.
    func checksum(of descriptor: Descriptor) throws(SystemError) -> String {
        var hash = SHA256()
        var buffer = [UInt8](repeating: 0, count: Self.pieceSize)
        var offset = 0
        while true {
            let count = pread(descriptor.number, &buffer, buffer.count, offset)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .last }
            if count == 0 { break }
            buffer.withUnsafeBytes { hash.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            offset += count
        }
        return AssetChecksum.string(sha256: hash.digest())
    }

    /// Copies all bytes from one file into another, sharing them where the file system can.
    static func copy(from source: Descriptor, to target: Descriptor) throws(SystemError) {
        while true {
            let count = stratus_copy_bytes(source.number, target.number, 1 << 30)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .last }
            if count == 0 { return }
        }
    }

    // MARK: - The bound

    private func add(_ name: String, size: Int64) {
        state.withLock { state in
            state.clock += 1
            let former = state.entries[name]
            state.total += size - (former?.size ?? 0)
            state.entries[name] = Entry(size: size, used: state.clock, openings: former?.openings ?? 0)
        }
    }

    private func forget(_ name: String) {
        state.withLock { state in
            if let entry = state.entries.removeValue(forKey: name) { state.total -= entry.size }
        }
    }

    /// Removes what was not used for the longest time, until the rest is within the bound. What is open stays.
    private func trim() {
        state.withLock { state in
            guard state.total > limit else { return }
            let order = state.entries.filter { $0.value.openings <= 0 }.sorted { $0.value.used < $1.value.used }
            for (name, entry) in order where state.total > limit {
                unlink(path(name))
                state.entries[name] = nil
                state.total -= entry.size
            }
        }
    }

    /// The name of a content's file. A checksum is base64, and may come from a hostile server.
    private static func name(of checksum: String) -> String { Hex.encode(Array(checksum.utf8.prefix(64))) }
}
