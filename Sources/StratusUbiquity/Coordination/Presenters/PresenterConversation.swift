import Foundation
import StratusWorkers

/// The exchange of a coordinator with one presenter: it asks the presenter to make way, and releases it in the end.
protocol PresenterConversation: Sendable {
    /// Asks. `answered` is called once, on any thread.
    func start(_ answered: @escaping @Sendable (CoordinationFailure?) -> Void)
    /// Releases the presenter, whether it has answered or not.
    func finish()
}

/// The exchange with a presenter of this process.
final class LocalConversation: PresenterConversation {
    /// A block that a presenter wants to be called when it may use the item again.
    ///
    /// `@unchecked Sendable`: it is called once, on the presenter's queue.
    private struct Reacquirer: @unchecked Sendable { let call: () -> Void }

    private struct State {
        var reacquirers: [Reacquirer] = []
        var isFinished = false
    }

    private let entry: LocalPresenter
    private let questions: [PresenterQuestion]
    private let state = Lock(State())

    init(_ entry: LocalPresenter, _ questions: [PresenterQuestion]) {
        self.entry = entry
        self.questions = questions
    }

    func start(_ answered: @escaping @Sendable (CoordinationFailure?) -> Void) { ask(questions[...], answered) }

    func finish() {
        let reacquirers = state.withLock { state in
            state.isFinished = true
            defer { state.reacquirers = [] }
            return state.reacquirers
        }
        call(reacquirers)
    }

    private func ask(
        _ questions: ArraySlice<PresenterQuestion>, _ answered: @escaping @Sendable (CoordinationFailure?) -> Void
    ) {
        guard let question = questions.first else { return answered(nil) }
        let presenter = entry.presenter
        // It is only called on the presenter's queue, where presenters expect to be called.
        nonisolated(unsafe) let send = { [self] in
            let goOn = { (error: (any Error)?) in
                if let error { return answered(CoordinationFailure(error)) }
                self.ask(questions.dropFirst(), answered)
            }
            switch question {
            case .relinquishToReader:
                presenter.relinquishPresentedItem(toReader: {
                    self.keep($0); goOn(nil)
                })
            case .relinquishToWriter:
                presenter.relinquishPresentedItem(toWriter: {
                    self.keep($0); goOn(nil)
                })
            case .save: presenter.savePresentedItemChanges(completionHandler: goOn)
            case .accommodateDeletion: presenter.accommodatePresentedItemDeletion(completionHandler: goOn)
            case .accommodateSubitemDeletion(let path):
                presenter.accommodatePresentedSubitemDeletion(
                    at: URL(fileURLWithPath: path), completionHandler: goOn)
            }
        }
        presenter.presentedItemOperationQueue.addOperation { send() }
    }

    private func keep(_ reacquirer: (() -> Void)?) {
        guard let reacquirer else { return }
        let kept = Reacquirer(call: reacquirer)
        let isLate = state.withLock { state in
            if !state.isFinished { state.reacquirers.append(kept) }
            return state.isFinished
        }
        if isLate { call([kept]) }
    }

    private func call(_ reacquirers: [Reacquirer]) {
        for reacquirer in reacquirers {
            entry.presenter.presentedItemOperationQueue.addOperation { reacquirer.call() }
        }
    }
}

/// The exchange with a presenter of another process. The connection is open until the presenter is released, so the end
/// of this process releases it, too. If the other process ends, this one waits no longer.
final class RemoteConversation: PresenterConversation {
    private let socketPath: String
    private let message: CoordinationMessage
    private let connection = Lock<(socket: LocalSocket?, isFinished: Bool)>((nil, false))

    init(socketPath: String, presenter: String, questions: [PresenterQuestion]) {
        self.socketPath = socketPath
        message = .ask(presenter: presenter, questions: questions)
    }

    func start(_ answered: @escaping @Sendable (CoordinationFailure?) -> Void) {
        Thread.detachNewThread { [self] in
            guard let socket = LocalSocket(connectingTo: socketPath), keep(socket), socket.send(message),
                case .answer(let failure) = socket.receive()
            else { return answered(nil) }
            answered(failure)
        }
    }

    func finish() {
        let socket = connection.withLock { connection in
            connection.isFinished = true
            return connection.socket
        }
        socket?.shutDown()
    }

    private func keep(_ socket: LocalSocket) -> Bool {
        connection.withLock { connection in
            connection.socket = socket
            return !connection.isFinished
        }
    }
}
