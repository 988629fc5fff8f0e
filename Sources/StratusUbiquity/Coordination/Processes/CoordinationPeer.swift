import Foundation
import StratusDeviceCredentials
import StratusWorkers

/// This process among the processes that coordinate: its name, its lock, and the socket that others reach it on.
///
/// There is no daemon. The claims of all processes stand in one file (``LedgerFile``), each process moves its own ones
/// forward, and a process whose claim another one's end lets go on is woken by a message. A process that dies releases
/// its lock, which those that wait for it see.
final class CoordinationPeer: Sendable {
    private static let shared = Lock<CoordinationPeer?>(nil)

    /// The one of this process, made when it is first needed.
    static func current() throws -> CoordinationPeer {
        try shared.withLock { peer in
            if let peer { return peer }
            let made = try CoordinationPeer(directory: CoordinationDirectory.path())
            peer = made
            return made
        }
    }

    /// The name under which the process is known to the others.
    let name: String
    let file: LedgerFile
    let presenters = LocalPresenters()
    /// Seconds that a presenter may take to answer.
    let replyLimit: Double
    /// Seconds after which a claim that waits is looked at again without a message.
    let lostMessage: Double
    private let lock: FileLock
    private let listener: LocalSocket
    private let waiters = Lock<[ObjectIdentifier: CoordinationWaiter]>([:])
    private let watched = Lock<Set<String>>([])
    private let conversations = Lock(0)

    init(
        directory: String, replyLimit: Double = CoordinationLimits.presenterReply,
        lostMessage: Double = CoordinationLimits.lostMessage
    ) throws {
        try CoordinationDirectory.prepare(directory)
        file = LedgerFile(directory: directory)
        name = String(UUID().uuidString.prefix(13))
        (self.replyLimit, self.lostMessage) = (replyLimit, lostMessage)
        guard let lock = try FileLock.trying(file.lockPath(of: name)) else {
            throw CoordinationDirectory.error(EBUSY, file.lockPath(of: name))
        }
        guard let listener = LocalSocket(listeningAt: file.socketPath(of: name)) else {
            throw CoordinationDirectory.error(errno, file.socketPath(of: name))
        }
        (self.lock, self.listener) = (lock, listener)
        Thread.detachNewThread { [weak self, listener] in
            while let connection = listener.accept() {
                guard let self else { return }
                self.serve(connection)
            }
        }
    }

    deinit {
        listener.shutDown()
        unlink(file.socketPath(of: name))
        unlink(file.lockPath(of: name))
    }

    /// Changes the ledger, and wakes those whose claims got further.
    @discardableResult
    func update<Result>(
        _ change: (inout CoordinationLedger) -> (Result, CoordinationLedger.Wakes)
    ) throws -> Result {
        let (result, wakes) = try file.update(by: name, change)
        for process in wakes {
            if process == name {
                wakeWaiters()
            } else {
                LocalSocket(connectingTo: file.socketPath(of: process))?.send(.wake)
            }
        }
        return result
    }

    /// Delivers events to presenters of any process.
    func deliver(_ notices: [PresenterNotice]) {
        for (process, notices) in Dictionary(grouping: notices, by: \.presenter.process) {
            if process == name {
                for notice in notices { presenters[notice.presenter.name]?.tell(notice.event) }
            } else if let socket = LocalSocket(connectingTo: file.socketPath(of: process)) {
                for notice in notices { socket.send(.tell(presenter: notice.presenter.name, event: notice.event)) }
            }
        }
    }

    /// The way to ask a presenter of any process.
    func conversation(with presenter: RegisteredPresenter, _ questions: [PresenterQuestion]) -> (
        any PresenterConversation
    )? {
        guard presenter.process == name else {
            return RemoteConversation(
                socketPath: file.socketPath(of: presenter.process), presenter: presenter.name, questions: questions)
        }
        return presenters[presenter.name].map { LocalConversation($0, questions) }
    }

    func add(_ waiter: CoordinationWaiter) { waiters.withLock { $0[ObjectIdentifier(waiter)] = waiter } }

    func remove(_ waiter: CoordinationWaiter) { waiters.withLock { $0[ObjectIdentifier(waiter)] = nil } }

    private func wakeWaiters() {
        for waiter in waiters.withLock({ Array($0.values) }) { waiter.signal() }
    }

    /// Takes notice when one of these processes dies, and then moves the claims forward that waited for it.
    func watch(_ processes: Set<String>) {
        for process in processes where process != name {
            guard watched.withLock({ $0.insert(process).inserted }) else { continue }
            let lockPath = file.lockPath(of: process)
            Thread.detachNewThread { [weak self] in
                // The thread waits until the process ends. The lock is released before the ledger is changed, which takes it.
                do {
                    let lock = try FileLock.waiting(lockPath)
                    withExtendedLifetime(lock) { _ = unlink(lockPath) }
                } catch { NSFileCoordinator.report { throw error } }
                guard let self else { return }
                _ = self.watched.withLock { $0.remove(process) }
                NSFileCoordinator.report { try self.update { _ in ((), []) } }
                self.wakeWaiters()
            }
        }
    }

    /// Serves a connection of another process, on a thread of its own.
    private func serve(_ connection: LocalSocket) {
        let isOne = conversations.withLock { count in
            guard count < CoordinationLimits.conversations else { return false }
            count += 1
            return true
        }
        guard isOne else { return }
        Thread.detachNewThread { [weak self] in
            while let message = connection.receive() {
                guard let self else { return }
                self.take(message, from: connection)
            }
            self?.conversations.withLock { $0 -= 1 }
        }
    }

    private func take(_ message: CoordinationMessage, from connection: LocalSocket) {
        switch message {
        case .wake: wakeWaiters()
        case .answer: break
        case .tell(let name, let event): presenters[name]?.tell(event)
        case .ask(let name, let questions):
            guard let presenter = presenters[name] else {
                connection.send(.answer(nil))
                return
            }
            let conversation = LocalConversation(presenter, questions)
            conversation.start { connection.send(.answer($0)) }
            // Nothing follows but the end of the connection.
            _ = connection.receive()
            conversation.finish()
        }
    }
}
