import Foundation
import Glibc
import StratusCloudKit
import StratusCloudModel
import StratusWorkers

/// Contents of open files, from the cache or the server.
extension MountFileSystem {
    /// Opens the content that a file has now, or begins to download it.
    func load(_ file: OpenFile) async throws {
        let current = file.state.withLock { $0 }
        guard case .none = current.source, !current.isWhole else {
            // Another attempt, after one that failed.
            guard current.failure != nil else { return }
            file.state.withLock { ($0.failure, $0.source) = (nil, .none) }
            return try await load(file)
        }
        if let unsent = current.item.unsent {
            let number = Glibc.open(cache.path(unsent), O_RDONLY | O_CLOEXEC)
            guard number >= 0 else {
                let error = SystemError.last
                // The server may have got it since, under whose checksum it is kept then.
                guard let fresh = state.withLock({ $0.tree.items[current.item.id] }), fresh.unsent != unsent else {
                    throw error
                }
                file.state.withLock { $0.item = fresh }
                return try await load(file)
            }
            file.state.withLock { ($0.source, $0.descriptor) = (.unsent(name: unsent), Descriptor(number)) }
        } else if let checksum = current.item.checksum {
            guard let descriptor = cache.open(checksum: checksum) else { return try await download(file) }
            file.state.withLock { ($0.source, $0.descriptor) = (.cached(checksum: checksum), descriptor) }
        }
        file.note(isWhole: true)
    }

    /// Begins a download, and returns when the server has said what comes.
    private func download(_ file: OpenFile) async throws {
        let (name, descriptor) = try cache.makePartialFile()
        let id = file.id
        let path = cache.path(name)
        try await withCheckedThrowingContinuation { (begun: CheckedContinuation<Void, any Error>) in
            let first = FirstAnswer(begun)
            let task = Task(executorPreference: pool) { [self] in
                do {
                    try await database.downloadAsset(
                        FileFormat.content, of: FileRecord.recordID(id), to: path,
                        begin: { content in
                            file.begin(content, name: name, descriptor)
                            first.succeed()
                        },
                        progress: { count in file.progress(count, name) })
                    try finish(file, name, descriptor)
                } catch {
                    let error = (error as? SystemError) ?? CloudFailure(error).downloadError
                    cache.remove(name)
                    file.note(failure: error)
                    first.fail(error)
                }
            }
            file.state.withLock { $0.download = task }
        }
    }

    /// Checks what was downloaded, and keeps it. A content that is not what the server says is never whole.
    private func finish(_ file: OpenFile, _ name: String, _ descriptor: Descriptor) throws(SystemError) {
        let (checksum, size) = file.state.withLock { ($0.item.checksum, $0.size) }
        var status = stat()
        guard fstat(descriptor.number, &status) == 0 else { throw .last }
        guard let checksum, Int64(status.st_size) == size, try cache.checksum(of: descriptor) == checksum else {
            throw SystemError(EIO)
        }
        cache.keep(name, checksum: checksum, size: size, isOpen: true)
        let isWanted = file.state.withLock { state in
            guard state.handles > 0, case .download(name) = state.source else { return false }
            state.source = .cached(checksum: checksum)
            return true
        }
        guard isWanted else { return cache.close(checksum: checksum) }
        file.note(isWhole: true)
    }
}

extension OpenFile {
    fileprivate func begin(_ content: AssetDescription, name: String, _ descriptor: Descriptor) {
        state.withLock { state in
            guard case .none = state.source, !state.isWhole else { return }
            state.source = .download(name: name)
            state.descriptor = descriptor
            state.item.checksum = content.checksum
            (state.item.size, state.size, state.available) = (content.size, content.size, 0)
        }
    }

    /// The last piece is held back until all have been checked.
    fileprivate func progress(_ count: Int64, _ name: String) {
        let isPartial = state.withLock { state in
            if case .download(name) = state.source { count < state.size } else { false }
        }
        if isPartial { note(available: count) }
    }
}

/// Answers a program's `open` once, when its download has begun or failed.
private final class FirstAnswer: Sendable {
    private let continuation: Lock<CheckedContinuation<Void, any Error>?>

    init(_ continuation: CheckedContinuation<Void, any Error>) { self.continuation = Lock(continuation) }

    func succeed() { take()?.resume() }
    func fail(_ error: SystemError) { take()?.resume(throwing: error) }

    private func take() -> CheckedContinuation<Void, any Error>? {
        continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
    }
}

extension CloudFailure {
    /// The error that a program gets when it opens or reads a file.
    fileprivate var downloadError: SystemError {
        if case .refused(let error) = self, error.code == .unknownItem { return SystemError(ESTALE) }
        return SystemError(EIO)
    }
}
