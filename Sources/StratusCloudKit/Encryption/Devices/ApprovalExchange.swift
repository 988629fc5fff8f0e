import StratusCloudCrypto

/// How a device that has the account's key gives it to one that has not, through a server that must not learn it.
///
/// The new device shows a code that it made up, and the person types it on the other device. It never reaches the server:
/// it proves that the request is the new device's, and, with an agreement on Curve25519, makes the key that the answer is
/// encrypted with. A server that puts its own public key in the place of either device's cannot make a valid proof or
/// answer without guessing 96 bits.
struct ApprovalExchange: Sendable {
    /// Bytes of a code: six words.
    static let codeLength = 12
    static let codeWords = codeLength / 2

    let place: AccountPlace
    let requestID: [UInt8]
    let code: [UInt8]

    /// Shows that a request comes from where the code was made.
    func proof(publicKey: [UInt8], deviceName: String) -> [UInt8] {
        let key = HKDFSHA256.derive(
            from: code, salt: [], info: context("stratus.approval.request-key.v1").bytes, length: 32)
        let request = context("stratus.approval.request.v1").adding(publicKey).adding(deviceName)
        return HMACSHA256(key: key).authenticate(request.bytes)
    }

    /// The answer to a request: the account's key, for the device that made the request alone.
    func answer(
        _ key: AccountKey, to publicKey: [UInt8], random: RandomSource
    ) throws(CryptoError) -> ApprovalRecord.Answer {
        let own = X25519PrivateKey(random: random)
        let nonce = random.bytes(AES256GCM.nonceLength)
        let cipher = cipher(try own.agree(with: publicKey), asker: publicKey, approver: own.publicKey)
        return ApprovalRecord.Answer(
            publicKey: own.publicKey,
            sealed: nonce + cipher.seal(key.secret, nonce: nonce, additionalData: answerContext(key.id)))
    }

    /// The account's key from an answer; nil if it was not made for this request, or with another code.
    func open(_ answer: ApprovalRecord.Answer, with own: X25519PrivateKey, keyID: KeyID) -> AccountKey? {
        // A public key that is none makes an answer that does not open.
        guard let agreed = try? own.agree(with: answer.publicKey),
            let secret = Sealed.open(
                answer.sealed, with: cipher(agreed, asker: own.publicKey, approver: answer.publicKey),
                answerContext(keyID)), secret.count == AccountKey.length
        else { return nil }
        let key = AccountKey(secret)
        return key.id == keyID ? key : nil
    }

    private func cipher(_ agreed: [UInt8], asker: [UInt8], approver: [UInt8]) -> AES256GCM {
        AES256GCM(
            key: HKDFSHA256.derive(
                from: agreed + code, salt: [],
                info: context("stratus.approval.answer-key.v1").adding(asker, approver).bytes,
                length: AES256GCM.keyLength))
    }

    private func answerContext(_ keyID: KeyID) -> [UInt8] {
        context("stratus.approval.answer.v1").adding(keyID.bytes).bytes
    }

    private func context(_ label: String) -> Frames {
        Frames(label).adding(place.container, place.user).adding(requestID)
    }
}

/// A request for approval as the server keeps it, with its answer when there is one.
struct ApprovalRecord: Hashable, Sendable {
    struct Answer: Hashable, Sendable {
        var publicKey: [UInt8]
        /// Nonce and AES-256-GCM's output.
        var sealed: [UInt8]
    }

    static let idLength = 16
    /// Bytes of a device's name.
    static let nameLimit = 255

    var id: [UInt8]
    var deviceName: String
    var publicKey: [UInt8]
    var proof: [UInt8]
    var answer: Answer?

    /// Of a request that a code proves.
    func isProven(by exchange: ApprovalExchange) -> Bool {
        constantTimeEqual(proof, exchange.proof(publicKey: publicKey, deviceName: deviceName))
    }
}

/// All requests of an account that wait, or whose answers do.
struct ApprovalEnvelope: Hashable, Sendable {
    private static let label = "stratus.approval-envelope.v1"
    /// Requests that are kept; a further one takes the place of the oldest.
    static let limit = 8

    var requests: [ApprovalRecord]

    init(requests: [ApprovalRecord] = []) { self.requests = requests }

    mutating func add(_ request: ApprovalRecord) {
        requests.append(request)
        requests.removeFirst(max(0, requests.count - Self.limit))
    }

    var bytes: [UInt8] {
        requests.reduce(into: Frames(Self.label)) {
            $0.add($1.id)
            $0.add($1.deviceName)
            $0.add($1.publicKey)
            $0.add($1.proof)
            $0.add($1.answer?.publicKey ?? [])
            $0.add($1.answer?.sealed ?? [])
        }.bytes
    }

    init(_ bytes: [UInt8]) throws(FrameReader.Malformed) {
        var reader = try FrameReader(bytes, label: Self.label)
        requests = []
        while !reader.isAtEnd {
            var request = ApprovalRecord(
                id: try reader.frame(count: ApprovalRecord.idLength), deviceName: try reader.text(),
                publicKey: try reader.frame(count: X25519PrivateKey.length), proof: try reader.frame())
            let answer = ApprovalRecord.Answer(publicKey: try reader.frame(), sealed: try reader.frame())
            if !answer.publicKey.isEmpty { request.answer = answer }
            requests.append(request)
        }
    }
}
