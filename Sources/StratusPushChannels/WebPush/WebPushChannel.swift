import StratusCloudCrypto
import StratusCloudModel
import StratusCloudService
import StratusCloudWire
import StratusHTTPClient

/// How messages are taken to browsers.
public struct WebPushConfiguration: Sendable {
    /// What the server proves itself with; browsers subscribe for its public half.
    public var key: P256PrivateKey
    /// Where a push service's people reach the operator: a `mailto:` or `https:` address.
    public var contact: String
    /// Whether endpoints may lie on this machine or in private networks.
    public var allowsPrivateEndpoints: Bool

    /// Puts together a configuration.
    public init(key: P256PrivateKey, contact: String, allowsPrivateEndpoints: Bool = false) {
        self.key = key
        self.contact = contact
        self.allowsPrivateEndpoints = allowsPrivateEndpoints
    }
}

/// Web Push (RFC 8030): encrypted messages to browsers, through the push services of their makers.
public final class WebPushChannel: PushChannel {
    /// Browsers.
    public let kind = PushAddress.Kind.webPush

    private let environment: PushChannelEnvironment
    private let credentials: WebPushCredentials
    private let client: HTTPClient
    private let encoder = NotificationEncoder(
        limit: PushChannelLimits.webPushMessage - WebPushEncryption.overhead)

    /// A channel.
    /// - Throws: `failed` if the key cannot be used.
    public init(_ configuration: WebPushConfiguration, _ environment: PushChannelEnvironment) throws(CryptoError) {
        self.environment = environment
        credentials = try WebPushCredentials(key: configuration.key, contact: configuration.contact)
        client = environment.client(allowsPrivateAddresses: configuration.allowsPrivateEndpoints)
    }

    /// Encrypts a message for the browser and sends it.
    public func deliver(_ message: PushMessage, to address: PushAddress) async -> PushOutcome {
        guard case .webPush(let browser) = address else { return .refused(reason: "no address of a browser") }
        // What no push service could be reached by will not get better.
        guard let endpoint = OutsideEndpoint(browser.endpoint) else { return .gone }
        let now = environment.now()
        guard message.expires > now else { return .refused(reason: "it came too late") }
        let request: HTTPClientRequest
        do throws(CryptoError) {
            request = try self.request(message, browser, endpoint, now: now)
        } catch {
            if error.code == .invalidPoint { return .gone }
            environment.report("a message cannot be encrypted: \(error)")
            return .retry(afterSeconds: nil)
        }
        do throws(HTTPClientError) {
            return outcome(of: try await client.send(request), from: endpoint)
        } catch {
            switch error.code {
            case .forbiddenAddress, .invalidRequest: return .refused(reason: "\(endpoint.origin): \(error.message)")
            default: return .retry(afterSeconds: nil)
            }
        }
    }

    private func request(
        _ message: PushMessage, _ browser: WebPushAddress, _ endpoint: OutsideEndpoint, now: Int64
    ) throws(CryptoError) -> HTTPClientRequest {
        let notification = message.notification
        let body = try WebPushEncryption().encrypt(encoder.payload(notification), for: browser)
        let lifetime = min((message.expires - now) / 1_000, PushChannelLimits.webPushLifetime)
        var headers: HTTPHeaders = [
            "Authorization": try credentials.authorization(for: endpoint.origin, now: now / 1_000),
            "Content-Encoding": "aes128gcm", "Content-Type": "application/octet-stream", "TTL": String(lifetime),
            "Urgency": notification.isSilent ? "normal" : "high",
        ]
        if let name = notification.collapseID {
            // 32 letters at most, of the alphabet for addresses.
            headers.append("Topic", Base64.urlString(Array(SHA256.hash(name).prefix(24))))
        }
        headers.append(message.trace)
        return HTTPClientRequest(method: "POST", url: endpoint.url, headers: headers, body: body)
    }

    private func outcome(of response: HTTPClientResponse, from endpoint: OutsideEndpoint) -> PushOutcome {
        switch response.status {
        case 200..<300: .delivered
        case 404, 410: .gone
        case 408, 429, 500...: .retry(afterSeconds: response.retryAfter(now: environment.now()))
        default: .refused(reason: "\(endpoint.origin) answers \(response.status)")
        }
    }
}
