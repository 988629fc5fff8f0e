import StratusHTTPClient
import StratusTestSupport
import StratusWorkers

/// Sixteen writers that save as fast as the server answers, until it answers no more.
///
/// Half of them save atomic batches in a custom zone, half single records in the public database. Every attempt is
/// written down before it is sent and every acknowledgement after it came, so that afterwards each record's fate can be
/// judged.
final class Workload: Sendable {
    /// Records that were sent together, all or none of which must be stored.
    struct Attempt: Sendable {
        let database: Database
        let zone: String?
        let names: [String]
        /// Tags by record name, if the server acknowledged the attempt.
        var tags: [String: String]?
        /// An answer that is neither an acknowledgement nor silence.
        var refusal: String?
    }

    static let writers = 16
    static let batchSize = 8
    static let recordType = "Durable"

    private struct State: Sendable {
        var attempts: [Attempt] = []
        var acknowledged = 0
    }

    private let state = Lock(State())
    private let round: Int
    private let threshold: Int
    /// Called once, as soon as `threshold` attempts are acknowledged.
    private let onThreshold: @Sendable () -> Void

    init(round: Int, threshold: Int, onThreshold: @escaping @Sendable () -> Void) {
        (self.round, self.threshold, self.onThreshold) = (round, threshold, onThreshold)
    }

    /// Everything that was tried.
    var attempts: [Attempt] { state.withLock { $0.attempts } }

    /// Writes until no writer gets an answer any more.
    func run(public publicDatabase: Database, private privateDatabase: Database, zone: String) async {
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<Self.writers {
                group.addTask {
                    if writer % 2 == 0 {
                        await self.write(writer, Self.batchSize, privateDatabase, zone)
                    } else {
                        await self.write(writer, 1, publicDatabase, nil)
                    }
                }
            }
        }
    }

    private func write(_ writer: Int, _ count: Int, _ database: Database, _ zone: String?) async {
        while true {
            let names = (0..<count).map { _ in Unique.name("r") }
            let changes = names.map { name in
                Change.create(
                    Self.recordType, name,
                    Fields.untyped(["round": .int(round), "writer": .int(writer), "own": .string(name)]))
            }
            let index = state.withLock { state in
                state.attempts.append(Attempt(database: database, zone: zone, names: names))
                return state.attempts.count - 1
            }
            guard let answer = try? await database.modify(changes, zone: zone) else { return }
            guard answer.status == 200, answer.records.allSatisfy({ $0["recordChangeTag"].isPresent }) else {
                state.withLock { $0.attempts[index].refusal = "\(answer)" }
                return
            }
            let tags = Dictionary(answer.records.map { ($0.name, $0.tag) }) { $1 }
            acknowledge(index, tags)
        }
    }

    private func acknowledge(_ index: Int, _ tags: [String: String]) {
        let isThreshold = state.withLock { state in
            state.attempts[index].tags = tags
            state.acknowledged += 1
            return state.acknowledged == threshold
        }
        if isThreshold { onThreshold() }
    }
}
