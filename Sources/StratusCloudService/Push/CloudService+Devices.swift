import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore

/// Devices: who is told.
extension CloudService {
    /// `tokens/create` and `tokens/register`: notes a device of the caller. It is told of what happens from now on.
    ///
    /// - Throws: `authenticationRequired` without a user, `accessDenied` for server-to-server keys, `badRequest` for an
    ///   address that is none.
    public func registerDevice(
        _ request: PushTokenRequest, as caller: Caller
    ) async throws(CloudError) -> PushRegistration {
        if case .serverToServer = caller.principal {
            throw CloudError(.accessDenied, "server-to-server keys have no devices")
        }
        guard let user = caller.userRecordName else { throw Authorization.authenticationRequired }
        try Self.checkClientID(request.clientID)
        let owner = PushOwner(context: caller.context, userRecordName: user)
        let (id, address) = try place(of: request, owner)
        let now = environment.now()
        let epoch = try await accountEpoch(of: owner)
        let latest = try await reading(.publicDatabase(of: owner.context)) { try PushCounter.read(in: $0).latest }
        try await writing(.privateDatabase(of: user, in: owner.context)) { transaction in
            let known = try transaction.value(PushDevice.self, at: PushKey.device(id))
            let own = try PushCounter.read(in: transaction).latest
            var device = PushDevice(
                address: address, clientID: request.clientID, accountEpoch: epoch, created: known?.created ?? now,
                lastSeen: now, cursor: known?.cursor ?? PushCursor(own: own, public: latest))
            device.apiToken = caller.apiToken
            device.session = caller.session
            if known == nil { try Self.makeRoom(in: transaction, at: now) }
            transaction.set(PushKey.device(id), device)
        }
        if address.kind != .courier { try await notePushUser(owner) }
        let secret = CourierSecret(owner: owner, device: id).sealed(seals)
        let token: String
        switch request.address {
        case .token(let text)?: token = text
        case .webPush?, nil: token = Base64.string(secret)
        }
        push.channels.registered(id, address, of: owner)
        return PushRegistration(environment: request.environment, token: token, courierSecret: Hex.encode(secret))
    }

    /// Waits for a device's notifications.
    /// - Parameters:
    ///   - courierSecret: as ``PushRegistration`` gave it.
    ///   - eventID: where the device stopped reading, if it says so; anything that is no such place is ignored.
    ///   - isStream: whether the listener stays for many notifications.
    /// - Throws: `notFound` for a secret that is none, or whose device is no longer registered, which ends with the session
    ///   that it was registered in; `tryAgainLater` while the server stops.
    public func listen(
        courierSecret: String, after eventID: String? = nil, isStream: Bool
    ) async throws(CloudError) -> PushListener {
        let generation = directory.generation
        guard let secret = CourierSecret(text: courierSecret, seals),
            let device = try await device(secret.device, of: secret.owner),
            try await isRegistered(device, secret.owner)
        else { throw Self.noDevice }
        let listener = try listen(
            secret.owner, secret.device, device, after: eventID.flatMap { EventID($0) }, isStream: isStream)
        // A session that ended since the first look found no listener to end.
        if directory.generation != generation, try await !isRegistered(device, secret.owner) {
            push.hub.dismiss(secret.device, of: secret.owner)
            throw Self.noDevice
        }
        return listener
    }

    private static let noDevice = CloudError(.notFound, "there is no such device")

    func listen(
        _ owner: PushOwner, _ id: DeviceID, _ device: PushDevice, after event: EventID?, isStream: Bool
    ) throws(CloudError) -> PushListener {
        guard let ticket = push.hub.sit(owner, id, device, after: event, isStream: isStream) else {
            throw CloudError(.tryAgainLater, "the server is stopping", retryAfter: 1)
        }
        push.startKeeping(for: self)
        return PushListener(service: self, ticket: ticket, device: device)
    }

    /// Takes a device away, as its push service says that there is none.
    func removeDevice(_ id: DeviceID, of owner: PushOwner) async throws(CloudError) {
        try await writing(.privateDatabase(of: owner.userRecordName, in: owner.context)) {
            $0.clear(PushKey.device(id))
        }
        push.hub.dismiss(id, of: owner)
    }

    /// Stores how far a device has read.
    func store(_ progress: PushHub.Progress) async throws(CloudError) {
        let now = environment.now()
        try await writing(.privateDatabase(of: progress.owner.userRecordName, in: progress.owner.context)) {
            transaction in
            let key = PushKey.device(progress.device)
            guard var device = try transaction.value(PushDevice.self, at: key) else { return }
            device.cursor = progress.cursor
            device.lastSeen = now
            transaction.set(key, device)
        }
    }

    func device(_ id: DeviceID, of owner: PushOwner) async throws(CloudError) -> PushDevice? {
        try await reading(.privateDatabase(of: owner.userRecordName, in: owner.context)) {
            try $0.value(at: PushKey.device(id))
        }
    }

    /// Whether a registration still counts. It ends with the session that it was made in, with a change of password, and
    /// with the revocation of its API token.
    func isRegistered(_ device: PushDevice, _ owner: PushOwner) async throws(CloudError) -> Bool {
        do {
            if let hash = device.apiToken, try await directory.apiToken(hash: hash) == nil { return false }
        } catch {
            throw cloudError(from: error)
        }
        guard try await isSessionLive(of: device) else { return false }
        guard let epoch = device.accountEpoch else { return true }
        return try await accountEpoch(of: owner) == epoch
    }

    /// Whether the session that a device was registered in goes on; true for devices without one.
    func isSessionLive(of device: PushDevice) async throws(CloudError) -> Bool {
        guard let hash = device.session else { return true }
        do {
            return try await directory.session(hash: hash)?.isLive(at: environment.now()) ?? false
        } catch {
            throw cloudError(from: error)
        }
    }

    /// Whether a notification may be told now, whatever could be read when it was queued.
    func mayTell(_ queued: QueuedNotification, _ owner: PushOwner) async throws(CloudError) -> Bool {
        guard queued.lane == .public, let recordType = queued.recordType else { return true }
        let reader = Caller(context: owner.context, principal: .user(owner.userRecordName))
        return Authorization.permits(
            .read, in: .public, recordType, of: try await schema(of: owner.context),
            creator: queued.creator, reader)
    }

    /// What waits for a user in the durable queues.
    func waiting(for owner: PushOwner, after cursor: PushCursor) async throws(CloudError) -> [QueuedNotification] {
        let user = owner.userRecordName
        let oldest = environment.now() - PushLimits.queueTime
        var all: [QueuedNotification] = []
        for (partition, lane) in [
            (Partition.privateDatabase(of: user, in: owner.context), PushLane.own),
            (.publicDatabase(of: owner.context), .public),
        ] {
            let sequence = cursor[lane]
            all += try await reading(partition) { transaction in
                try PushQueue.read(of: user, after: sequence, notBefore: oldest, in: transaction)
            }
        }
        return all.sorted { ($0.time, $0.lane.rawValue, $0.sequence) < ($1.time, $1.lane.rawValue, $1.sequence) }
    }

    static func checkClientID(_ clientID: String?) throws(CloudError) {
        guard let clientID, clientID.utf8.count > PushLimits.clientIDLength else { return }
        throw CloudError(
            .badRequest,
            "clientId has \(clientID.utf8.count) bytes, which is more than the maximum of "
                + "\(PushLimits.clientIDLength)")
    }

    // MARK: - Addresses

    private func place(
        of request: PushTokenRequest, _ owner: PushOwner
    ) throws(CloudError) -> (DeviceID, PushAddress) {
        switch request.address {
        case nil: return (DeviceID(environment.random.bytes(DeviceID.length)), .courier(request.environment))
        case .webPush(let browser)?:
            try browser.check()
            let address = PushAddress.webPush(browser)
            return (DeviceID(address: address), address)
        case .token(let text)?:
            guard text.utf8.count <= 2 * PushLimits.deviceTokenLength,
                let bytes = Hex.decode(text) ?? Base64.decode(text),
                !bytes.isEmpty, bytes.count <= PushLimits.deviceTokenLength
            else {
                throw CloudError(
                    .badRequest,
                    "apnsToken must be base64 or hexadecimal digits of at most \(PushLimits.deviceTokenLength) bytes")
            }
            // One that `tokens/create` gave to this user is a courier's; to others it is a token like any other.
            if let secret = CourierSecret(sealed: bytes, seals), secret.owner == owner {
                return (secret.device, .courier(request.environment))
            }
            let address = PushAddress.apns(token: bytes, request.environment)
            return (DeviceID(address: address), address)
        }
    }

    /// Keeps a user's devices within their number: those that were not seen for long, and else the least recent.
    private static func makeRoom(in transaction: any WriteTransaction, at now: Int64) throws {
        let devices = try transaction.entries(in: PushKey.devices, limit: 2 * PushLimits.devicesPerUser)
            .map { (key: $0.key, lastSeen: try PushDevice(stored: $0.value).lastSeen) }
            .sorted { $0.lastSeen > $1.lastSeen }
        for (index, device) in devices.enumerated()
        where index >= PushLimits.devicesPerUser - 1 || now - device.lastSeen > PushLimits.deviceLifetime {
            transaction.clear(device.key)
        }
    }

    /// The number of an account's sessions; nil for a user without an account.
    private func accountEpoch(of owner: PushOwner) async throws(CloudError) -> UInt64? {
        try await reading(.directory) { transaction in
            let key = DirectoryKey.account(ofUser: owner.userRecordName, in: owner.context)
            guard let id = try transaction.get(key) else { return nil }
            let account: Account? = try transaction.value(
                at: DirectoryKey.account(id: String(decoding: id, as: UTF8.self)))
            return account?.sessionEpoch
        }
    }
}

extension WebPushAddress {
    fileprivate func check() throws(CloudError) {
        guard endpoint.hasPrefix("https://"), endpoint.utf8.count <= PushLimits.endpointLength,
            endpoint.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw CloudError(
                .badRequest, "webPush.endpoint must be an https address of at most \(PushLimits.endpointLength) bytes")
        }
        guard publicKey.count == 65, publicKey.first == 4 else {
            throw CloudError(.badRequest, "webPush.keys.p256dh must be an uncompressed P-256 key of 65 bytes")
        }
        guard authenticationSecret.count == 16 else {
            throw CloudError(.badRequest, "webPush.keys.auth must have 16 bytes")
        }
    }
}
