/// Which of Apple's push services a device token is for; to the web courier it means nothing and is repeated.
public enum APNsEnvironment: String, Hashable, Sendable, CaseIterable {
    case development, production
}

/// `tokens/create` and `tokens/register`.
public struct PushTokenRequest: Hashable, Sendable {
    /// How a device that has an address of its own is reached.
    public enum Address: Hashable, Sendable {
        /// A device token: of Apple's service, or one that `tokens/create` gave. Base64, or hexadecimal digits.
        case token(String)
        /// A browser's push subscription (RFC 8030, 8291).
        case webPush(WebPushAddress)
    }

    /// Which of Apple's push services the token is for.
    public var environment: APNsEnvironment
    /// The address to register; nil makes a new token for the web courier.
    public var address: Address?
    /// The client's name for itself, which its requests carry too, so that it is not told of its own changes.
    public var clientID: String?

    /// Makes a request.
    public init(environment: APNsEnvironment = .development, address: Address? = nil, clientID: String? = nil) {
        self.environment = environment
        self.address = address
        self.clientID = clientID
    }
}

/// Where a browser's push service takes messages, and the keys they are encrypted with.
public struct WebPushAddress: Hashable, Sendable {
    /// An absolute `https` address.
    public var endpoint: String
    /// The browser's P-256 public key, uncompressed: 65 bytes.
    public var publicKey: [UInt8]
    /// The shared secret of the subscription: 16 bytes.
    public var authenticationSecret: [UInt8]

    /// Makes an address.
    public init(endpoint: String, publicKey: [UInt8], authenticationSecret: [UInt8]) {
        self.endpoint = endpoint
        self.publicKey = publicKey
        self.authenticationSecret = authenticationSecret
    }
}

/// What a device is given when its token is made or registered.
public struct PushRegistration: Hashable, Sendable {
    /// As the request said.
    public var environment: APNsEnvironment
    /// Base64; of the device where it brought a token, else one made for the web courier.
    public var token: String
    /// The secret that opens the device's notifications: letters, digits, `-` and `_`.
    public var courierSecret: String

    /// Puts together an answer.
    public init(environment: APNsEnvironment, token: String, courierSecret: String) {
        self.environment = environment
        self.token = token
        self.courierSecret = courierSecret
    }
}
