import DeviceCredentials
import Foundation
import Glibc
import Workers

/// A long-lived operation on the disk, in the hands of this process until it lets go or ends. All calls block.
final class KeptOperation: Sendable {
    let id: CKOperation.ID
    private let directory: String
    private let lock: Lock<FileLock?>
    /// Set where the results cannot be written: then the operation goes on, and is as any other.
    private let isBroken = Lock(false)

    init(id: CKOperation.ID, directory: String, lock: FileLock) {
        self.id = id
        self.directory = directory
        self.lock = Lock(lock)
    }

    /// Leaves it to whoever comes next.
    func letGo() { lock.withLock { $0 = nil } }

    /// What to do.
    func archive() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: directory + "/operation")) }

    /// Whose it is; nil if that was not known when it was last in hand.
    var user: String? {
        try? String(contentsOfFile: directory + "/user", encoding: .utf8)
    }

    func note(user: String) throws {
        try Self.write(Data(user.utf8), to: directory + "/user")
        Self.sync(directory)
    }

    // MARK: What became of it

    /// The results so far, in order. What a crash cut off is left out.
    func events() -> [Data] {
        guard let bytes = try? Data(contentsOf: URL(fileURLWithPath: directory + "/events")) else { return [] }
        var events: [Data] = []
        var rest = bytes[...]
        while rest.count >= 4 {
            let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            guard rest.count - 4 >= count else { break }
            events.append(Data(rest.dropFirst(4).prefix(count)))
            rest = rest.dropFirst(4 + count)
        }
        return events
    }

    /// Forgets the results of a process that did not finish.
    func begin() throws { try Self.write(Data(), to: directory + "/events") }

    /// Adds results.
    /// - Parameter isLast: whether they are all; then they are on the disk when this returns.
    func append(_ events: [Data], isLast: Bool) {
        guard !isBroken.withLock({ $0 }) else { return }
        var bytes = Data()
        for event in events {
            let count = UInt32(event.count)
            bytes.append(contentsOf: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) })
            bytes.append(event)
        }
        do {
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: directory + "/events"))
            defer { try? file.close() }
            try file.seekToEnd()
            try file.write(contentsOf: bytes)
            if isLast {
                try file.synchronize()
                try Self.write(Data(), to: directory + "/finished")
                Self.sync(directory)
            }
        } catch {
            isBroken.withLock { $0 = true }
        }
    }

    /// Whether all results are there.
    var isFinished: Bool { FileManager.default.fileExists(atPath: directory + "/finished") }

    /// Whether it is finished, and since when; or since when it waits.
    var age: (isFinished: Bool, since: Date)? {
        let isFinished = isFinished
        let path = directory + (isFinished ? "/finished" : "/operation")
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.modificationDate] as? Date).map { (isFinished, $0) }
    }

    /// Forgets it. What it is goes first, so that half of it is nothing.
    func remove() {
        try? FileManager.default.removeItem(atPath: directory + "/operation")
        try? FileManager.default.removeItem(atPath: directory)
    }

    // MARK: Files

    /// Writes a file that is on the disk when this returns.
    static func write(_ data: Data, to path: String) throws {
        let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try file.write(contentsOf: data)
        try file.synchronize()
    }

    /// Makes the names in a directory durable.
    static func sync(_ directory: String) {
        let descriptor = Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
