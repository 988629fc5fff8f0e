import StratusCloudModel
import StratusCloudService
import StratusCloudWire
import StratusHTTPTransport

/// Takes notifications to devices that come for them: the web courier's long poll, one notification an answer, and a
/// stream of server-sent events. The address holds the secret; no other credentials are asked for, as with Apple's.
struct PushHandler: Sendable {
    let service: CloudService
    /// What browsers subscribe for; nil without web push.
    let webPushKey: [UInt8]?

    /// The key for `PushManager.subscribe`, which is no secret; nil if there is none.
    func key() -> HTTPResponse? {
        guard let webPushKey else { return nil }
        var writer = JSONWriter(capacity: 128)
        writer.beginObject()
        writer.key("applicationServerKey")
        writer.string(Base64.urlString(webPushKey))
        writer.endObject()
        return Self.response(200, "application/json; charset=UTF-8", .bytes(writer.bytes))
    }

    /// A long poll: the next notification, or `null` when none comes in time.
    func poll(_ request: HTTPRequest, requestUUID: String) async -> (HTTPResponse, [CloudError]) {
        do {
            let listener = try await service.listen(courierSecret: secret(of: request.head), isStream: false)
            do {
                if let answer = try await Self.answer(listener, request.isClientConnected) { return (answer, []) }
            } catch {
                listener.close()
                throw error
            }
            return (Self.waiting(listener, request.isClientConnected), [])
        } catch {
            return refusal(error, request.head, requestUUID: requestUUID)
        }
    }

    /// An answer that comes when the listener has something, or its time is over.
    private static func waiting(
        _ listener: PushListener, _ isConnected: @escaping @Sendable () -> Bool
    ) -> HTTPResponse {
        HTTPResponse(
            status: 200,
            body: .later { late in
                listener.whenReady(patience: PushLimits.pollTime) {
                    Task {
                        // What cannot be read now waits; the client asks again.
                        let answer = (try? await answer(listener, isConnected)) ?? nil
                        late.give(answer ?? nothing)
                        listener.close()
                    }
                }
                late.whenAbandoned { listener.stopWaiting() }
            })
    }

    /// What waits for a listener now, who is then done; nil if it has to wait itself.
    private static func answer(
        _ listener: PushListener, _ isConnected: @Sendable () -> Bool
    ) async throws(CloudError) -> HTTPResponse? {
        switch try await listener.next(patience: 0) {
        case .nothing: return nil
        case .ended:
            listener.close()
            return nothing
        case .delivery(let delivery):
            defer { listener.close() }
            // An answer to nobody would lose it.
            guard isConnected() else {
                listener.putBack()
                return nothing
            }
            return pollAnswer(NotificationEncoder().payload(delivery.notification))
        }
    }

    private static let nothing = pollAnswer(Array("null".utf8))

    /// The connection closes after each, as at Apple: one that was used before would hold more memory while it waits.
    private static func pollAnswer(_ body: [UInt8]) -> HTTPResponse {
        var answer = response(200, "application/json; charset=UTF-8", .bytes(body))
        answer.headers.append(("Connection", "close"))
        return answer
    }

    /// Server-sent events: one for each notification, its `id` good for `Last-Event-ID`.
    func stream(_ request: HTTPRequest, requestUUID: String) async -> (HTTPResponse, [CloudError]) {
        do {
            let listener = try await service.listen(
                courierSecret: secret(of: request.head), after: request.head.headers["Last-Event-ID"], isStream: true)
            var response = Self.response(
                200, "text/event-stream", .stream(contentLength: nil) { try await Self.write(listener, to: $0) })
            // Proxies must not wait for more before they pass it on.
            response.headers.append(("X-Accel-Buffering", "no"))
            return (response, [])
        } catch {
            return refusal(error, request.head, requestUUID: requestUUID)
        }
    }

    private static func write(_ listener: PushListener, to writer: HTTPBodyWriter) async throws {
        defer { listener.close() }
        try await writer.write(Array("retry: 1000\n\n".utf8))
        while true {
            switch try await listener.next(patience: PushLimits.streamPause) {
            case .nothing:
                try Task.checkCancellation()
                try await writer.write(Array(":\n\n".utf8))
            case .delivery(let delivery):
                let head = "id: \(delivery.eventID)\ndata: "
                let payload = NotificationEncoder().payload(delivery.notification)
                try await writer.write(Array(head.utf8) + payload + Array("\n\n".utf8))
            case .ended: return
            }
        }
    }

    private func secret(of head: HTTPRequestHead) -> String { QueryParameters.value(of: "token", in: head.query) ?? "" }

    private func refusal(
        _ error: any Error, _ head: HTTPRequestHead, requestUUID: String
    ) -> (HTTPResponse, [CloudError]) {
        let error = error as? CloudError ?? CloudError(.internalError, "internal error")
        let answer = WebServiceAnswer(refusing: error, requestUUID: requestUUID)
        return (answer.response(to: head, requestUUID: requestUUID), answer.refusals)
    }

    private static func response(_ status: Int, _ contentType: String, _ body: HTTPResponseBody) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: [
                ("Content-Type", contentType), ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
                ("Access-Control-Allow-Origin", "*"),
            ], body: body)
    }
}
