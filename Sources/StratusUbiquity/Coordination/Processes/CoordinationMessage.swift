import Foundation

/// A message from one process to another.
enum CoordinationMessage: Codable, Hashable, Sendable {
    /// Claims of the receiver got further.
    case wake
    /// A presenter of the receiver is asked to make way. The connection stays open until it may return; then, or when
    /// the sender dies, it is closed.
    case ask(presenter: String, questions: [PresenterQuestion])
    /// The presenter answered; without an error unless it could not save.
    case answer(CoordinationFailure?)
    /// A message to a presenter of the receiver.
    case tell(presenter: String, event: PresenterEvent)
}

/// An error that travels between processes.
struct CoordinationFailure: Codable, Hashable, Sendable {
    let domain: String
    let code: Int
    let text: String

    init(_ error: any Error) {
        let error = error as NSError
        (domain, code, text) = (error.domain, error.code, error.localizedDescription)
    }

    var error: NSError { NSError(domain: domain, code: code, userInfo: [NSLocalizedDescriptionKey: text]) }
}

extension LocalSocket {
    /// Sends a message.
    /// - Returns: Whether the other side still listens.
    @discardableResult
    func send(_ message: CoordinationMessage) -> Bool {
        guard let body = try? JSONEncoder().encode(message) else { return false }
        return send(body, limit: CoordinationLimits.message)
    }

    /// The next message; nil when the connection ends, and for what is no message.
    func receive() -> CoordinationMessage? {
        receive(limit: CoordinationLimits.message).flatMap {
            try? JSONDecoder().decode(CoordinationMessage.self, from: $0)
        }
    }
}
