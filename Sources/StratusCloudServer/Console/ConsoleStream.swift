import StratusCloudModel
import StratusCloudService
import StratusHTTPTransport
import StratusWorkers

/// How many long answers are under way.
final class StreamCount: Sendable {
    private struct State {
        var all = 0
        var byDeveloper: [String: Int] = [:]
    }

    private let state = Lock(State())

    /// - Throws: `tryAgainLater` if the developer, or all together, have too many.
    func begin(_ developerID: String) throws(CloudError) {
        let refusal = state.withLock { state -> String? in
            let own = state.byDeveloper[developerID, default: 0]
            let limit = ServerLimits.consoleStreamsPerDeveloper
            guard own < limit else { return "a developer can have at most \(limit) logs and exports open" }
            guard state.all < ServerLimits.consoleStreams else { return "too many logs and exports are open" }
            state.byDeveloper[developerID] = own + 1
            state.all += 1
            return nil
        }
        if let refusal { throw CloudError(.tryAgainLater, refusal, retryAfter: 10) }
    }

    /// How many there are.
    var now: Int { state.withLock { $0.all } }

    func end(_ developerID: String) {
        state.withLock { state in
            state.all -= 1
            let own = state.byDeveloper[developerID, default: 0] - 1
            state.byDeveloper[developerID] = own > 0 ? own : nil
        }
    }
}

/// Whether the reader of a long answer may still read it: asked again whenever developers, teams or sessions changed, and
/// now and then, because sessions end in time.
final class ConsoleWatch: Sendable {
    private let call: ConsoleCall
    private let session: String
    /// What was true when it was last asked, and when that was.
    private let seen: Lock<(generation: UInt64, time: Int64)>

    init(_ call: ConsoleCall) throws(CloudError) {
        guard let session = call.cookie.value(in: call.head.headers) else { throw ConsoleCall.signInFirst }
        self.call = call
        self.session = session
        seen = Lock((call.generation, call.service.now))
    }

    /// Whether it is to be asked again.
    var isDue: Bool {
        let seen = seen.withLock { $0 }
        // A clock that was put back tells nothing.
        return seen.generation != call.service.developerGeneration
            || !(0..<ServerLimits.consoleWatchInterval).contains(call.service.now - seen.time)
    }

    /// - Throws: what the reader would be answered now.
    func check() async throws(CloudError) {
        let new = (generation: call.service.developerGeneration, time: call.service.now)
        seen.withLock { $0 = new }
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
        let developerID = try call.signedIn().id
        try streams.begin(developerID)
        var answer = ConsoleAnswer(stream: contentType) { writer in try await body(writer, watch) }
        answer.whenOver = { streams.end(developerID) }
        // Proxies must not wait for more before they pass it on.
        answer.headers.append(("X-Accel-Buffering", "no"))
        return answer
    }
}
