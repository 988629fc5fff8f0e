import Foundation
import Glibc
import StratusDeviceCredentials
import StratusWorkers

/// A long-lived operation on the disk, in the hands of this process until it lets go or ends. All calls block.
final class KeptOperation: Sendable {
    let id: CKOperation.ID
    private let directory: String
    private let lock: Lock<FileLock?>
    private let seal: OperationSeal?
    private let written = Lock(Written())

    private struct Written {
        var events = 0
        var files = 0
        /// Set where the results cannot be written: then the operation goes on, and is as any other.
        var isBroken = false
    }

    /// - Parameter seal: nil where nobody looks into it.
    init(id: CKOperation.ID, directory: String, lock: FileLock, seal: OperationSeal?) {
        self.id = id
        self.seal = seal
        self.directory = directory
        self.lock = Lock(lock)
    }

    /// Leaves it to whoever comes next.
    func letGo() { lock.withLock { $0 = nil } }

    /// What the archive of an operation is bound to.
    static func place(of id: CKOperation.ID) -> String { id + "/operation" }

    private func place(ofEvent number: Int) -> String { "\(id)/event/\(number)" }

    private var requiredSeal: OperationSeal {
        get throws {
            guard let seal else { throw CocoaError(.fileReadNoPermission) }
            return seal
        }
    }

    /// What to do.
    func archive() throws -> Data {
        let sealed = try Data(contentsOf: URL(fileURLWithPath: directory + "/operation"))
        return try requiredSeal.open(sealed, as: Self.place(of: id))
    }

    /// Whose it is; nil if that was not known when it was last in hand.
    var user: String? {
        try? String(contentsOfFile: directory + "/user", encoding: .utf8)
    }

    func note(user: String) throws {
        try Self.write(Data(user.utf8), to: directory + "/user")
        Self.sync(directory)
    }

    // MARK: What became of it

    /// The results so far, in order. What a crash cut off is left out, and so is what follows something that is not whole.
    func events() -> [OperationEvent] {
        guard let seal, let bytes = try? Data(contentsOf: URL(fileURLWithPath: directory + "/events")) else {
            return []
        }
        var events: [OperationEvent] = []
        var rest = bytes[...]
        while rest.count >= 4 {
            let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            guard rest.count - 4 >= count else { break }
            let sealed = Data(rest.dropFirst(4).prefix(count))
            guard let data = try? seal.open(sealed, as: place(ofEvent: events.count)),
                let event = OperationEvent(archived: data)
            else { break }
            events.append(staged(event))
            rest = rest.dropFirst(4 + count)
        }
        return events
    }

    /// Forgets the results of a process that did not finish.
    func begin() throws {
        try Self.write(Data(), to: directory + "/events")
        written.withLock { $0 = Written() }
        for name in try FileManager.default.contentsOfDirectory(atPath: directory) where name.hasPrefix(Self.filePrefix)
        {
            try FileManager.default.removeItem(atPath: directory + "/" + name)
        }
    }

    /// Adds results, with copies of the files of assets that were fetched.
    /// - Parameter isLast: whether they are all; then they are on the disk when this returns.
    func append(_ events: [OperationEvent], isLast: Bool) {
        guard !written.withLock({ $0.isBroken }) else { return }
        do {
            let seal = try requiredSeal
            var bytes = Data()
            for event in events {
                let number = written.withLock { written in
                    defer { written.events += 1 }
                    return written.events
                }
                let sealed = seal.seal(try keepingFiles(event).archived, as: place(ofEvent: number))
                let count = UInt32(sealed.count)
                bytes.append(contentsOf: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) })
                bytes.append(sealed)
            }
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
            written.withLock { $0.isBroken = true }
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

    // MARK: Assets

    private static let filePrefix = "result-"

    /// The result with files of its own for fetched assets: those of the process may be gone when it is told again.
    private func keepingFiles(_ event: OperationEvent) throws -> OperationEvent {
        try event.replacingFetchedAssets { asset in
            guard let path = asset.fileURL?.path else { return asset }
            let number = written.withLock { written in
                defer { written.files += 1 }
                return written.files
            }
            let place = "\(directory)/\(Self.filePrefix)\(number)"
            try Self.link(path, to: place)
            return CKAsset(fileURL: URL(fileURLWithPath: place))
        }
    }

    /// The result with files where those of fetched assets always lie, which stay when this is removed.
    private func staged(_ event: OperationEvent) -> OperationEvent {
        event.replacingFetchedAssets { asset in
            guard let path = asset.fileURL?.path, let place = try? AssetStaging.newFile(),
                (try? Self.link(path, to: place.path)) != nil
            else { return CKAsset(fileURL: nil, stored: nil) }
            return CKAsset(fileURL: place)
        }
    }

    /// Gives a file a second name; copies it where that is another file system.
    private static func link(_ path: String, to place: String) throws {
        guard Glibc.link(path, place) != 0 else { return }
        try FileManager.default.copyItem(atPath: path, toPath: place)
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
