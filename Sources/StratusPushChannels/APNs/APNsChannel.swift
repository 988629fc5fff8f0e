import StratusCloudCrypto
import StratusCloudModel
import StratusCloudService
import StratusCloudWire
import StratusHTTPClient

/// How notifications are taken to Apple's devices.
public struct APNsConfiguration: Sendable {
    /// The key of the developer account, as its `.p8` file has it.
    public var key: P256PrivateKey
    /// The key's name there: ten letters and digits.
    public var keyID: String
    /// The account's team: ten letters and digits.
    public var teamID: String
    /// The app: its bundle identifier.
    public var topic: String
    /// The service's address, without a path; nil for Apple's, of which there is one for each environment.
    public var endpoint: String?

    /// Puts together a configuration.
    public init(key: P256PrivateKey, keyID: String, teamID: String, topic: String, endpoint: String? = nil) {
        self.key = key
        self.keyID = keyID
        self.teamID = teamID
        self.topic = topic
        self.endpoint = endpoint
    }
}

/// Apple's push service, over HTTP/2 with a provider token.
public final class APNsChannel: PushChannel {
    /// Apple's device tokens.
    public let kind = PushAddress.Kind.apns

    private let configuration: APNsConfiguration
    private let environment: PushChannelEnvironment
    private let credentials: APNsCredentials
    private let client: HTTPClient
    private let encoder = NotificationEncoder()

    /// A channel.
    public init(_ configuration: APNsConfiguration, _ environment: PushChannelEnvironment) {
        self.configuration = configuration
        self.environment = environment
        credentials = APNsCredentials(
            key: configuration.key, keyID: configuration.keyID, teamID: configuration.teamID)
        // The operator says where it is.
        client = environment.client(allowsPrivateAddresses: true)
    }

    /// Sends a notification and reads what became of it.
    public func deliver(_ message: PushMessage, to address: PushAddress) async -> PushOutcome {
        guard case .apns(let token, let deviceEnvironment) = address else {
            return .refused(reason: "no device token of Apple's")
        }
        let now = environment.now()
        guard message.expires > now else { return .refused(reason: "it came too late") }
        let authorization: String
        do throws(CryptoError) {
            authorization = try credentials.authorization(now: now / 1_000)
        } catch {
            environment.report("no token for Apple's push service: \(error)")
            return .retry(afterSeconds: nil)
        }
        let request = HTTPClientRequest(
            method: "POST", url: "\(endpoint(deviceEnvironment))/3/device/\(Hex.encode(token))",
            headers: headers(message, authorization: authorization), body: encoder.payload(message.notification))
        do throws(HTTPClientError) {
            return outcome(of: try await client.send(request), authorization: authorization)
        } catch {
            environment.report("Apple's push service cannot be reached: \(error)")
            return .retry(afterSeconds: nil)
        }
    }

    private func endpoint(_ environment: APNsEnvironment) -> String {
        if let endpoint = configuration.endpoint { return endpoint }
        return switch environment {
        case .development: "https://api.sandbox.push.apple.com"
        case .production: "https://api.push.apple.com"
        }
    }

    private func headers(_ message: PushMessage, authorization: String) -> HTTPHeaders {
        let notification = message.notification
        // What wakes an app unseen must not have the higher priority.
        var headers: HTTPHeaders = [
            "authorization": authorization, "content-type": "application/json",
            "apns-id": notification.notificationID, "apns-topic": configuration.topic,
            "apns-push-type": notification.isSilent ? "background" : "alert",
            "apns-priority": notification.isSilent ? "5" : "10",
            "apns-expiration": String(message.expires / 1_000),
        ]
        if let name = notification.collapseID { headers.append("apns-collapse-id", Self.collapseID(name)) }
        headers.append(message.trace)
        return headers
    }

    /// A name as it is where a header can hold it, else one made of it.
    private static func collapseID(_ name: String) -> String {
        let fits =
            (1...PushChannelLimits.collapseIDLength).contains(name.utf8.count)
            && name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        return fits ? name : Base64.urlString(SHA256.hash(name))
    }

    private func outcome(of response: HTTPClientResponse, authorization: String) -> PushOutcome {
        let reason = APNsReason(response.body)
        switch (response.status, reason.text) {
        case (200, _): return .delivered
        case (410, _), (400, "BadDeviceToken"): return .gone
        case (403, "ExpiredProviderToken"):
            credentials.renew(authorization)
            return .retry(afterSeconds: nil)
        case (403, _):
            // The key, its name or the team is wrong. The operator mends that; the message waits.
            environment.report("Apple's push service does not know this server: \(reason)")
            return .retry(afterSeconds: nil)
        case (429, _), (500..., _): return .retry(afterSeconds: response.retryAfter(now: environment.now()))
        default: return .refused(reason: "Apple's push service answers \(response.status): \(reason)")
        }
    }
}
