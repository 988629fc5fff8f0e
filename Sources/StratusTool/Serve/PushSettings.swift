import StratusCloudWire
import StratusCommandLine

/// The push services outside that `stratus serve` is told of.
struct PushSettings: Sendable {
    var webPushContact: String?
    var vapidKey: String?
    var allowsPrivateEndpoints: Bool?
    var apnsKey: String?
    var apnsKeyID: String?
    var apnsTeamID: String?
    var apnsTopic: String?
    var apnsEndpoint: String?
    var authorities: String?
    var allowsPrivateWebhooks: Bool?

    /// These settings, and those of `other` where these say nothing.
    func completed(by other: PushSettings) -> PushSettings {
        PushSettings(
            webPushContact: webPushContact ?? other.webPushContact, vapidKey: vapidKey ?? other.vapidKey,
            allowsPrivateEndpoints: allowsPrivateEndpoints ?? other.allowsPrivateEndpoints,
            apnsKey: apnsKey ?? other.apnsKey, apnsKeyID: apnsKeyID ?? other.apnsKeyID,
            apnsTeamID: apnsTeamID ?? other.apnsTeamID, apnsTopic: apnsTopic ?? other.apnsTopic,
            apnsEndpoint: apnsEndpoint ?? other.apnsEndpoint, authorities: authorities ?? other.authorities,
            allowsPrivateWebhooks: allowsPrivateWebhooks ?? other.allowsPrivateWebhooks)
    }
}

extension PushSettings {
    private enum Options {
        static let webPushContact = text(
            "web-push-contact", "address",
            "Turns on Web Push; operators of push services can reach you at this mailto: or https: address")
        static let vapidKey = text(
            "vapid-key", "file",
            "The key, in PEM, that identifies this server to push services of browsers; created if it does not exist. "
                + "vapid.key in the data directory by default")
        static let allowsPrivateEndpoints = Option.flag(
            "web-push-private-endpoints", help: "Allows push services in private networks")
        static let apnsKey = text(
            "apns-key", "file",
            "Turns on notifications to Apple's devices, with this key of your developer account "
                + "(.p8)")
        static let apnsKeyID = text("apns-key-id", "id", "The key's ID")
        static let apnsTeamID = text("apns-team-id", "id", "The ID of the developer account's team")
        static let apnsTopic = text("apns-topic", "bundle-id", "The app's bundle identifier")
        static let apnsEndpoint = text(
            "apns-endpoint", "url", "A server to use instead of Apple's, such as a proxy or one for tests")
        static let authorities = text(
            "push-authorities", "file",
            "Certificate authorities in PEM to trust for push services; the system's by default")

        static let allowsPrivateWebhooks = Option.flag(
            "webhook-private-endpoints",
            help: "Allows webhooks on this machine and in private networks, and without TLS")

        private static func text(_ name: String, _ placeholder: String, _ help: String) -> Parameter<String?> {
            Option.optional(name, .string(placeholder), help: help)
        }
    }

    static let options: [any ParameterDeclaring] = [
        Options.webPushContact, Options.vapidKey, Options.allowsPrivateEndpoints, Options.apnsKey, Options.apnsKeyID,
        Options.apnsTeamID, Options.apnsTopic, Options.apnsEndpoint, Options.authorities,
        Options.allowsPrivateWebhooks,
    ]

    /// What was typed.
    init(_ values: Values) {
        self.init(
            webPushContact: values[Options.webPushContact], vapidKey: values[Options.vapidKey],
            allowsPrivateEndpoints: values[Options.allowsPrivateEndpoints] ? true : nil,
            apnsKey: values[Options.apnsKey], apnsKeyID: values[Options.apnsKeyID],
            apnsTeamID: values[Options.apnsTeamID], apnsTopic: values[Options.apnsTopic],
            apnsEndpoint: values[Options.apnsEndpoint], authorities: values[Options.authorities],
            allowsPrivateWebhooks: values[Options.allowsPrivateWebhooks] ? true : nil)
    }

    /// Takes a member of the configuration file; false if there is no setting of that name.
    mutating func set(_ name: String, _ value: JSONReader) throws -> Bool {
        switch name {
        case "web-push-contact": webPushContact = try value.string()
        case "vapid-key": vapidKey = try value.string()
        case "web-push-private-endpoints": allowsPrivateEndpoints = try value.boolean()
        case "apns-key": apnsKey = try value.string()
        case "apns-key-id": apnsKeyID = try value.string()
        case "apns-team-id": apnsTeamID = try value.string()
        case "apns-topic": apnsTopic = try value.string()
        case "apns-endpoint": apnsEndpoint = try value.string()
        case "push-authorities": authorities = try value.string()
        case "webhook-private-endpoints": allowsPrivateWebhooks = try value.boolean()
        default: return false
        }
        return true
    }
}
