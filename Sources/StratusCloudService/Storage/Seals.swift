import StratusCloudCrypto

/// Authenticates what the service hands out and takes back: continuation markers, sync tokens, session tokens,
/// sign-in states, addresses and receipts of assets, forms. Each purpose has a key of its own, and a seal is bound to what it was made for.
struct Seals: Sendable {
    enum Purpose: Int, CaseIterable {
        case continuationMarker, syncToken, session, signIn, assetUpload, assetReceipt, assetDownload, assetMark,
            courier, accountForm, deviceCode, signUp, webhook, teamInvitation, knownNetwork, passwordReset, appPassword,
            publication

        fileprivate var label: String {
            switch self {
            case .continuationMarker: "continuation marker"
            case .syncToken: "sync token"
            case .session: "session"
            case .signIn: "sign-in"
            case .assetUpload: "asset upload"
            case .assetReceipt: "asset receipt"
            case .assetDownload: "asset download"
            case .assetMark: "asset mark"
            case .courier: "courier"
            case .accountForm: "account form"
            case .deviceCode: "device code"
            case .signUp: "sign-up"
            case .webhook: "webhook"
            case .teamInvitation: "team invitation"
            case .knownNetwork: "known network"
            case .passwordReset: "password reset"
            case .appPassword: "app password"
            case .publication: "publication"
            }
        }
    }

    /// Bytes of a seal: 128 bits.
    static let length = 16

    /// One for each purpose, in the order of its cases.
    private let keys: [HMACSHA256]

    init(secret: [UInt8]) {
        let root = HMACSHA256(key: secret)
        keys = Purpose.allCases.map { HMACSHA256(key: root.authenticate(Array($0.label.utf8))) }
    }

    /// `payload` with its seal before it.
    func seal(_ payload: [UInt8], for purpose: Purpose, boundTo binding: [UInt8]) -> [UInt8] {
        code(payload, purpose, binding) + payload
    }

    /// The payload of what ``seal(_:for:boundTo:)`` made for the same purpose and binding; nil for anything else.
    func open(_ sealed: [UInt8], for purpose: Purpose, boundTo binding: [UInt8]) -> [UInt8]? {
        guard sealed.count >= Self.length else { return nil }
        let payload = Array(sealed.dropFirst(Self.length))
        let expected = code(payload, purpose, binding)
        return constantTimeEqual(Array(sealed.prefix(Self.length)), expected) ? payload : nil
    }

    /// 32 bytes that nobody can make without the root secret, always the same for the same binding.
    func secret(for purpose: Purpose, boundTo binding: [UInt8]) -> [UInt8] {
        keys[purpose.rawValue].authenticate(binding)
    }

    private func code(_ payload: [UInt8], _ purpose: Purpose, _ binding: [UInt8]) -> [UInt8] {
        var writer = ByteWriter(capacity: payload.count + binding.count + 4)
        writer.write(bytes: binding)
        writer.write(bytes: payload)
        let mac = keys[purpose.rawValue].authenticate(writer.bytes)
        return Array(mac.prefix(Self.length))
    }
}
