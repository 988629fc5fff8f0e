import CloudModel
import CloudService
import HTTPTransport
import Synchronization

/// How many long answers are under way.
final class StreamCount: Sendable {
    private let count = Atomic<Int>(0)

    func begin() -> Bool {
        if count.add(1, ordering: .relaxed).newValue <= ServerLimits.consoleStreams { return true }
        end()
        return false
    }

    /// How many there are.
    var now: Int { count.load(ordering: .relaxed) }

    func end() { count.subtract(1, ordering: .relaxed) }
}

/// Whether the reader of a long answer may still read it: asked again whenever developers, teams or sessions changed.
final class ConsoleWatch: Sendable {
    private let call: ConsoleCall
    private let session: String
    private let seen: Atomic<UInt64>

    init(_ call: ConsoleCall) throws(CloudError) {
        guard let session = call.cookie.value(in: call.head.headers) else { throw ConsoleCall.signInFirst }
        self.call = call
        self.session = session
        seen = Atomic(call.generation)
    }

    /// Whether something changed since it was last asked.
    var hasNews: Bool { seen.load(ordering: .relaxed) != call.service.developerGeneration }

    /// - Throws: what the reader would be answered now.
    func check() async throws(CloudError) {
        seen.store(call.service.developerGeneration, ordering: .relaxed)
        guard let developer = try await call.service.developer(session: session) else {
            throw ConsoleCall.signInFirst
        }
        guard case .team(let act) = call.route.access else { return }
        try await call.service.authorize(
            developer, to: act, in: try call.container(),
            call.parameters[ConsoleRoute.environmentName].flatMap { CloudEnvironment(rawValue: $0) })
    }
}

extension ConsoleAnswer {
    /// An answer that is written bit by bit, while its reader may read it.
    static func stream(
        _ contentType: String, of call: ConsoleCall,
        _ body: @escaping @Sendable (HTTPBodyWriter, ConsoleWatch) async throws -> Void
    ) throws(CloudError) -> ConsoleAnswer {
        let watch = try ConsoleWatch(call)
        let streams = call.streams
        guard streams.begin() else {
            throw CloudError(.tryAgainLater, "too many logs and exports are open", retryAfter: 10)
        }
        var answer = ConsoleAnswer(stream: contentType) { writer in try await body(writer, watch) }
        answer.whenOver = { streams.end() }
        // Proxies must not wait for more before they pass it on.
        answer.headers.append(("X-Accel-Buffering", "no"))
        return answer
    }
}
