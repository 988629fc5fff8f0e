import StratusCloudCrypto
import StratusCloudModel
import StratusCloudService
import StratusCloudWire
import StratusHTTPClient

/// Posts messages to the receivers of webhooks, signed as Standard Webhooks says, so that its libraries verify them.
public final class WebhookSender: WebhookChannel {
    private let environment: PushChannelEnvironment
    private let allowsPrivateEndpoints: Bool
    private let client: HTTPClient

    /// A sender.
    /// - Parameter allowsPrivateEndpoints: whether receivers may lie on this machine or in private networks, and be
    ///   reached without TLS.
    public init(allowsPrivateEndpoints: Bool, _ environment: PushChannelEnvironment) {
        self.environment = environment
        self.allowsPrivateEndpoints = allowsPrivateEndpoints
        client = environment.client(allowsPrivateAddresses: allowsPrivateEndpoints)
    }

    /// Why messages cannot be sent to an address at all; nil if they can.
    public func objection(to url: String) -> String? {
        guard let endpoint = OutsideEndpoint(url, allowsPlain: allowsPrivateEndpoints) else {
            return "must be an https address such as https://app.example/changes"
        }
        guard !allowsPrivateEndpoints else { return nil }
        let isLocal = endpoint.host == "localhost" || endpoint.host.hasSuffix(".localhost")
        guard !isLocal, NetworkAddress(endpoint.host)?.isPublic ?? true else {
            return "must not lie on this machine or in a private network"
        }
        return nil
    }

    /// Signs a message and posts it.
    public func deliver(_ message: WebhookMessage) async -> WebhookOutcome {
        if let objection = objection(to: message.url) { return WebhookOutcome(.retry(after: nil), error: objection) }
        guard let key = Base64.decode(String(message.secret.dropFirst("whsec_".count))) else {
            return WebhookOutcome(.retry(after: nil), error: "the secret is none")
        }
        let body = WebhookBody.encode(message)
        let seconds = String(message.time / 1_000)
        let signed = Array("\(message.id).\(seconds).".utf8) + body
        let signature = Base64.string(HMACSHA256(key: key).authenticate(signed))
        var headers: HTTPHeaders = [
            "Content-Type": "application/json", "webhook-id": message.id, "webhook-timestamp": seconds,
            "webhook-signature": "v1,\(signature)",
        ]
        headers.append(message.trace)
        let request = HTTPClientRequest(method: "POST", url: message.url, headers: headers, body: body)
        do throws(HTTPClientError) {
            return outcome(of: try await client.send(request))
        } catch {
            return WebhookOutcome(.retry(after: nil), error: error.description)
        }
    }

    private func outcome(of response: HTTPClientResponse) -> WebhookOutcome {
        let status = response.status
        switch status {
        case 200..<300: return WebhookOutcome(.delivered, status: status)
        case 410: return WebhookOutcome(.gone, status: status, error: "the receiver is gone")
        default:
            let seconds = response.retryAfter(now: environment.now())
            return WebhookOutcome(
                .retry(after: seconds.map { Int64($0) * 1_000 }), status: status,
                error: "the receiver answers \(status)")
        }
    }
}

/// What a message says: which records changed, not what is in them, which a server reads with a key of its own.
enum WebhookBody {
    static func encode(_ message: WebhookMessage) -> [UInt8] {
        var writer = JSONWriter(capacity: 256 + 256 * message.events.count)
        writer.beginObject()
        writer.key("type")
        writer.constant("records.changed")
        writer.key("timestamp")
        writer.integer(message.time)
        writer.key("data")
        writer.beginObject()
        writer.key("container")
        writer.string(message.context.container.rawValue)
        writer.key("environment")
        writer.string(message.context.environment.rawValue)
        writer.key("database")
        writer.constant("public")
        writer.key("events")
        writer.beginArray()
        for event in message.events { write(event, to: &writer) }
        writer.endArray()
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }

    private static func write(_ event: WebhookEvent, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("number")
        writer.integer(Int64(clamping: event.number))
        writer.key("event")
        writer.string(event.event.rawValue)
        writer.key("recordType")
        writer.string(event.recordType)
        writer.key("recordName")
        writer.string(event.recordName)
        writer.key("zoneName")
        writer.string(event.zoneName)
        if let tag = event.recordChangeTag {
            writer.key("recordChangeTag")
            writer.string(tag)
        }
        writer.key("time")
        writer.integer(event.time)
        writer.endObject()
    }
}
