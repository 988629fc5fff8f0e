import StratusCloudService
import StratusWaiting
import StratusWorkers

@testable import StratusCloudServer

/// A mail server's place: keeps what it is given, and answers what it was told to.
final class Postman: MailChannel {
    private struct State {
        var answers: [MailOutcome] = []
        var isThere = true
        var letters: [MailLetter] = []
    }

    private let state = Lock(State())

    var letters: [MailLetter] { state.withLock { $0.letters } }
    var given: [MailedInvitation] {
        letters.compactMap { if case .invitation(let invitation) = $0 { invitation } else { nil } }
    }

    func answer(_ answers: MailOutcome...) { state.withLock { $0.answers = answers } }
    /// Nobody is there from now on.
    func refuse() { state.withLock { $0.isThere = false } }

    func takes(_ address: String) -> Bool { !address.contains(" ") }

    func deliver(_ letter: MailLetter) async -> MailOutcome {
        state.withLock { state in
            state.letters.append(letter)
            if !state.isThere { return .unavailable(reason: "nobody is there") }
            return state.answers.isEmpty ? .delivered : state.answers.removeFirst()
        }
    }
}

extension SharePlace {
    /// Waits until the queue's own work has come as far.
    func settled(_ isSo: (MailStatistics) -> Bool) async throws {
        try await wait(for: "the mail queue") { isSo(cloud.service.mailStatistics()) }
    }
}
