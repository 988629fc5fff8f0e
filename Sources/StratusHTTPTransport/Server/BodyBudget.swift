import StratusWorkers

/// The memory that request bodies take while they come and while their handlers work.
final class BodyBudget: Sendable {
    private struct Content {
        var used = 0
        var byClient: [String: Int] = [:]
    }

    private let content = Lock(Content())
    private let total: Int
    private let perClient: Int

    init(limits: HTTPServerLimits) {
        total = limits.bufferedBodyBytes
        perClient = limits.bufferedBodyBytesPerClient
    }

    /// Bytes that are taken now.
    var used: Int { content.withLock { $0.used } }

    /// Whether so many bytes could be taken now.
    /// - Parameter client: nil has no share of its own.
    func hasRoom(for count: Int, of client: String?) -> Bool {
        content.withLock { hasRoom(for: count, of: client, $0) }
    }

    /// Takes so many bytes, or none.
    func take(_ count: Int, for client: String?) -> Bool {
        content.withLock { content in
            guard hasRoom(for: count, of: client, content) else { return false }
            content.used += count
            if let client { content.byClient[client, default: 0] += count }
            return true
        }
    }

    func giveBack(_ count: Int, of client: String?) {
        content.withLock { content in
            content.used -= count
            guard let client, let held = content.byClient[client] else { return }
            content.byClient[client] = held > count ? held - count : nil
        }
    }

    private func hasRoom(for count: Int, of client: String?, _ content: Content) -> Bool {
        guard count <= total - content.used else { return false }
        return client.map { count <= perClient - content.byClient[$0, default: 0] } ?? true
    }
}

/// What one body has taken, until nobody has the body any more.
///
/// `@unchecked Sendable`: `taken` changes only on the connection's I/O thread while the body comes, before others know
/// the object.
final class BodyLease: @unchecked Sendable {
    private let budget: BodyBudget
    private let client: String?
    private var taken = 0
    /// Bytes that are taken at a time.
    private static let step = 16_384

    init(of budget: BodyBudget, client: String?) {
        (self.budget, self.client) = (budget, client)
    }

    deinit { budget.giveBack(taken, of: client) }

    /// Takes what is missing to hold so many bytes.
    func hold(_ count: Int) -> Bool {
        guard count > taken else { return true }
        let missing = (count - taken + Self.step - 1) / Self.step * Self.step
        guard budget.take(missing, for: client) else { return false }
        taken += missing
        return true
    }
}
