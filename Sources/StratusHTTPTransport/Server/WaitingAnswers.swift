/// Answers in memory that their clients have not taken yet, and which of them give way.
///
/// Of a client that holds more than its share, the answer goes that has waited longest; of all together, the longest
/// waiting one of whoever holds most. A client's only answer stays, so that one larger than the share can be sent.
struct WaitingAnswers<Answer> {
    private struct Client {
        var bytes = 0
        var answers: [UInt64: (bytes: Int, answer: Answer)] = [:]
    }

    /// Which answer, in the order of their beginning.
    struct ID: Hashable {
        fileprivate let client: String
        fileprivate let number: UInt64
    }

    private let total: Int
    private let perClient: Int
    private var clients: [String: Client] = [:]
    private var nextNumber: UInt64 = 0
    /// Bytes of all answers.
    private(set) var bytes = 0

    init(total: Int, perClient: Int) {
        (self.total, self.perClient) = (total, perClient)
    }

    /// Adds an answer.
    /// - Parameter hasShare: whether the client is held to a share of its own.
    /// - Returns: those that give way. They are not counted any more.
    mutating func add(
        _ answer: Answer, bytes count: Int, client name: String, hasShare: Bool = true
    ) -> (id: ID, cut: [Answer]) {
        nextNumber += 1
        let id = ID(client: name, number: nextNumber)
        clients[name, default: Client()].answers[id.number] = (count, answer)
        clients[name]?.bytes += count
        bytes += count
        var cut: [Answer] = []
        while hasShare, (clients[name]?.bytes ?? 0) > perClient, let oldest = removeOldest(of: name) {
            cut.append(oldest)
        }
        while bytes > total, let largest = clients.max(by: { $0.value.bytes < $1.value.bytes })?.key,
            let oldest = removeOldest(of: largest)
        { cut.append(oldest) }
        return (id, cut)
    }

    /// Forgets an answer that was sent, or whose client is gone.
    mutating func remove(_ id: ID) { _ = take(id.number, of: id.client) }

    private mutating func removeOldest(of name: String) -> Answer? {
        guard let client = clients[name], client.answers.count > 1, let oldest = client.answers.keys.min() else {
            return nil
        }
        return take(oldest, of: name)
    }

    private mutating func take(_ number: UInt64, of name: String) -> Answer? {
        guard let entry = clients[name]?.answers.removeValue(forKey: number) else { return nil }
        bytes -= entry.bytes
        clients[name]?.bytes -= entry.bytes
        if clients[name]?.answers.isEmpty == true { clients[name] = nil }
        return entry.answer
    }
}
