import Glibc
import StratusWorkers

/// The content of a file while programs have it open.
///
/// Programs read the content that the file had when it was opened. The first write makes a copy, which becomes the
/// content of the file when a program closes it, so the file has its old content or its new one and never something in
/// between.
final class OpenFile: Sendable {
    enum Source: Sendable {
        /// Nothing yet: the download has not begun.
        case none
        /// A content of the cache, which is read only.
        case cached(checksum: String)
        /// A download into a file of the cache.
        case download(name: String)
        /// The copy that programs write to.
        case working(name: String)
        /// A closed content that the server does not have yet.
        case unsent(name: String)
    }

    struct State: Sendable {
        var item: MountedItem
        var handles = 0
        var source = Source.none
        /// Nil while nothing was ever written.
        var descriptor: Descriptor?
        var size: Int64 = 0
        /// Bytes from the start that may be read.
        var available: Int64 = 0
        var isWhole = false
        var failure: SystemError?
        var download: Task<Void, Never>?
        /// Whether the working copy has changes that no close has published.
        var isDirty = false
        /// The handles that made these changes.
        var writers: Set<UInt64> = []
        /// Whether the file has no name any more.
        var isUnlinked = false
        var waiters: [Waiter] = []
    }

    struct Waiter: Sendable {
        let end: Int64
        let continuation: CheckedContinuation<Void, Never>
    }

    let state: Lock<State>
    /// Serializes making the working copy and publishing it.
    let turn = Turn()

    init(_ item: MountedItem) { state = Lock(State(item: item, size: item.size)) }

    var id: String { state.withLock { $0.item.id } }
    var isDirty: Bool { state.withLock { $0.isDirty } }

    /// Notes that bytes have arrived, that all have, or that no more will.
    func note(available: Int64? = nil, isWhole: Bool = false, failure: SystemError? = nil) {
        let ready = state.withLock { state -> [Waiter] in
            if let available, !state.isWhole { state.available = available }
            if isWhole { (state.isWhole, state.available) = (true, state.size) }
            if let failure, !state.isWhole { state.failure = failure }
            let isOver = state.isWhole || state.failure != nil
            let ready = state.waiters.filter { isOver || $0.end <= state.available }
            state.waiters.removeAll { isOver || $0.end <= state.available }
            return ready
        }
        for waiter in ready { waiter.continuation.resume() }
    }

    /// Waits until the bytes up to `end` are here.
    func wait(until end: Int64 = .max) async throws(SystemError) {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if state.isWhole || state.failure != nil || end <= state.available { return true }
                state.waiters.append(Waiter(end: end, continuation: continuation))
                return false
            }
            if isReady { continuation.resume() }
        }
        try check(end)
    }

    private func check(_ end: Int64) throws(SystemError) {
        let failure = state.withLock { $0.isWhole || end <= $0.available ? nil : $0.failure }
        if let failure { throw failure }
    }

    /// Whether the bytes up to `end` can be read without waiting.
    func isReady(until end: Int64) -> Bool {
        state.withLock { $0.isWhole || $0.failure != nil || min(end, $0.size) <= $0.available }
    }

    /// Reads bytes that are here; fewer at the end.
    func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemError) -> Int {
        let (descriptor, end) = try state.withLock { state throws(SystemError) in
            let end = min(offset + Int64(buffer.count), state.size)
            if end > state.available, let failure = state.failure { throw failure }
            return (state.descriptor, end)
        }
        guard offset < end, let descriptor else { return 0 }
        var filled = 0
        let wanted = Int(end - offset)
        while filled < wanted {
            let count = pread(
                descriptor.number, buffer.baseAddress?.advanced(by: filled), wanted - filled,
                Int(offset) + filled)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .last }
            if count == 0 { break }
            filled += count
        }
        return filled
    }

    /// Notes that a program changes the content through a handle, before it does.
    func begin(_ handle: UInt64) { state.withLock { _ = $0.writers.insert(handle) } }

    /// Whether what programs wrote becomes the content of the file when a handle is closed: not if it was written
    /// through other handles, whose programs have not finished. The system closes a handle long after its program did.
    func endsWriting(_ handle: UInt64) -> Bool {
        state.withLock { $0.writers.remove(handle) != nil || $0.writers.isEmpty }
    }

    /// Whether there is a working copy.
    var isWritable: Bool { state.withLock { if case .working = $0.source { true } else { false } } }

    /// Writes to the working copy.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemError) {
        guard let descriptor = state.withLock({ $0.descriptor }) else { throw SystemError(EBADF) }
        var written = 0
        while written < bytes.count {
            let count = pwrite(
                descriptor.number, bytes.baseAddress?.advanced(by: written), bytes.count - written,
                Int(offset) + written)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .last }
            written += count
        }
        state.withLock { state in
            state.size = max(state.size, offset + Int64(bytes.count))
            state.available = state.size
            state.item.modified = MountedItem.now
            state.isDirty = true
        }
    }

    /// Cuts or extends the working copy.
    func truncate(to size: Int64) throws(SystemError) {
        guard let descriptor = state.withLock({ $0.descriptor }) else { throw SystemError(EBADF) }
        guard ftruncate(descriptor.number, Int(size)) == 0 else { throw .last }
        state.withLock { state in
            (state.size, state.available, state.isDirty) = (size, size, true)
            state.item.modified = MountedItem.now
        }
    }
}

/// A file descriptor that is closed when it is not used any more.
final class Descriptor: Sendable {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    deinit { close(number) }
}

/// Runs tasks one after another.
final class Turn: Sendable {
    private struct State: Sendable {
        var isTaken = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Lock(State())

    func run<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.isTaken { state.waiters.append(continuation) }
                defer { state.isTaken = true }
                return !state.isTaken
            }
            if isFree { continuation.resume() }
        }
        defer { leave() }
        return try await body()
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiters.isEmpty else {
                state.isTaken = false
                return nil
            }
            return state.waiters.removeFirst()
        }
        next?.resume()
    }
}
