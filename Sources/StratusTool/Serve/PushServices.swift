import Glibc
import StratusCloudCrypto
import StratusCloudService
import StratusPushChannels
import StratusTelemetry

/// The channels that the settings ask for.
struct PushServices {
    private(set) var channels: [any PushChannel] = []
    /// Tells developers' own servers.
    let webhooks: any WebhookChannel
    /// What browsers subscribe for; nil without web push.
    private(set) var webPushKey: [UInt8]?

    /// Reads the keys that the settings name, and makes the one for browsers when it is needed for the first time.
    /// - Throws: a usage error for settings that belong together and do not come together, or a file that is no key.
    init(_ settings: PushSettings, in directory: DataDirectory, logger: Logger) throws(ToolError) {
        let environment = PushChannelEnvironment(
            now: ServiceEnvironment.system.now,
            report: { logger.warning("a push service needs attention", ["reason": .string($0)]) },
            certificateAuthorityFile: settings.authorities)
        webhooks = WebhookSender(
            allowsPrivateEndpoints: settings.allowsPrivateWebhooks ?? false, environment)
        if let configuration = try Self.webPush(settings, directory) {
            do {
                channels.append(try WebPushChannel(configuration, environment))
                webPushKey = try configuration.key.publicKey.point()
            } catch {
                throw ToolError("vapid-key: \(error)")
            }
        }
        if let configuration = try Self.apns(settings) { channels.append(APNsChannel(configuration, environment)) }
    }

    private static func webPush(
        _ settings: PushSettings, _ directory: DataDirectory
    ) throws(ToolError) -> WebPushConfiguration? {
        guard let contact = settings.webPushContact else {
            guard settings.vapidKey == nil, settings.allowsPrivateEndpoints != true else {
                throw .usage("vapid-key and web-push-private-endpoints need web-push-contact")
            }
            return nil
        }
        guard contact.hasPrefix("mailto:") || contact.hasPrefix("https://") else {
            throw .usage("web-push-contact must be a mailto: or https: address")
        }
        let path = settings.vapidKey ?? directory.vapidKeyFile
        if access(path, F_OK) != 0, errno == ENOENT { try makeKey(path, directory) }
        return WebPushConfiguration(
            key: try key(path), contact: contact, allowsPrivateEndpoints: settings.allowsPrivateEndpoints ?? false)
    }

    private static func makeKey(_ path: String, _ directory: DataDirectory) throws(ToolError) {
        let pem: String
        do {
            pem = try P256PrivateKey.generate().pem()
        } catch {
            throw ToolError("cannot create a key: \(error)")
        }
        try directory.create()
        try AtomicFile.write(Array(pem.utf8), to: path)
        AtomicFile.syncDirectory(of: path)
    }

    private static func apns(_ settings: PushSettings) throws(ToolError) -> APNsConfiguration? {
        let members = [settings.apnsKey, settings.apnsKeyID, settings.apnsTeamID, settings.apnsTopic]
        guard members.contains(where: { $0 != nil }) || settings.apnsEndpoint != nil else { return nil }
        guard let path = settings.apnsKey, let keyID = settings.apnsKeyID, let teamID = settings.apnsTeamID,
            let topic = settings.apnsTopic
        else { throw .usage("apns-key, apns-key-id, apns-team-id and apns-topic must be set together") }
        return APNsConfiguration(
            key: try key(path), keyID: keyID, teamID: teamID, topic: topic, endpoint: settings.apnsEndpoint)
    }

    private static func key(_ path: String) throws(ToolError) -> P256PrivateKey {
        let pem = String(decoding: try AtomicFile.read(path, limit: CryptoLimits.pemLength), as: UTF8.self)
        do {
            return try P256PrivateKey(pem: pem)
        } catch {
            throw .usage("\(path): \(error.message)")
        }
    }
}
