import Foundation
import StratusHTTPTransport
import StratusWorkers

/// Another cloud, as far as a migration of private data looks at it: without zones, and with the records that a test says.
final class OtherCloud: Sendable {
    /// - Returns: nil for what a cloud without anything answers.
    typealias Answer = @Sendable (_ path: String, _ body: String) -> HTTPResponse?

    let url: String
    private let server: HTTPServer
    private let handler = Handler()

    init() throws {
        server = HTTPServer(
            configuration: HTTPServerConfiguration(address: .network(host: "127.0.0.1", port: 0), ioThreads: 1),
            executor: WorkerPool(threads: 1), handler: handler)
        url = "http://127.0.0.1:\(try server.start())"
    }

    /// Queries that came.
    var queries: Int { handler.queries.withLock { $0 } }

    /// Gives no answer to some requests, until ``endSilence()``.
    func keepSilent(where isSilent: @escaping @Sendable (_ path: String, _ body: String) -> Bool) {
        handler.isSilent.withLock { $0 = isSilent }
    }

    func endSilence() {
        handler.isSilent.withLock { $0 = { _, _ in false } }
        handler.silenceEnds.finish()
    }

    /// Waits for a request that it keeps silent about.
    func wasAsked() async { for await _ in handler.asked { return } }

    func answer(_ answer: @escaping Answer) { handler.answer.withLock { $0 = answer } }

    func stop() async {
        endSilence()
        await server.stop(drainingFor: .zero)
    }

    static func json(_ text: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: [("Content-Type", "application/json")], body: .bytes(Array(text.utf8)))
    }

    /// The answer to a query.
    static func page(_ records: [String], marker: String? = nil) -> HTTPResponse {
        let more = marker.map { #","continuationMarker":"\#($0)""# } ?? ""
        return json(#"{"records":[\#(records.joined(separator: ","))]\#(more)}"#)
    }

    /// A record, whose asset lies at an address.
    static func note(_ name: String = "note", asset address: String? = nil) -> String {
        let checksum = Data([1] + [UInt8](repeating: 7, count: 20)).base64EncodedString()
        let file = address.map {
            #","file":{"type":"ASSETID","value":{"fileChecksum":"\#(checksum)","size":10,"downloadURL":"\#($0)"}}"#
        }
        let stamp = #"{"timestamp":1767225600000,"userRecordName":"_a","deviceID":"2"}"#
        return
            #"{"recordName":"\#(name)","recordType":"Note","recordChangeTag":"1","created":\#(stamp),"modified":\#(stamp),"#
            + #""deleted":false,"fields":{"text":{"type":"STRING","value":"words"}\#(file ?? "")}}"#
    }

    private final class Handler: HTTPHandler {
        let answer = Lock<Answer>({ _, _ in nil })
        let queries = Lock(0)
        let isSilent = Lock<@Sendable (String, String) -> Bool>({ _, _ in false })
        let (asked, asking) = AsyncStream<Void>.makeStream()
        let silenceEnds: AsyncStream<Never>.Continuation
        private let silence: Task<Void, Never>

        init() {
            let (stream, ending) = AsyncStream<Never>.makeStream()
            silenceEnds = ending
            silence = Task { for await _ in stream {} }
        }

        func bodyPolicy(for head: HTTPRequestHead) -> BodyPolicy { .buffered(limit: 1 << 20) }

        func respond(to request: HTTPRequest) async -> HTTPResponse {
            let path = request.head.path
            if path.hasSuffix("records/query") { queries.withLock { $0 += 1 } }
            let body = String(decoding: request.body.bytes, as: UTF8.self)
            if isSilent.withLock({ $0 })(path, body) {
                asking.yield()
                await silence.value
            }
            return answer.withLock { $0 }(path, body) ?? OtherCloud.json(#"{"zones":[],"records":[]}"#)
        }
    }
}
