import StratusCloudCrypto

/// A request for the keys that this device has made. It ends with the process; ask again then.
public struct PendingApproval: Sendable {
    private let keyring: Keyring
    private let exchange: ApprovalExchange
    private let key: X25519PrivateKey
    private let records: KeyRecords

    init(keyring: Keyring, exchange: ApprovalExchange, key: X25519PrivateKey, records: KeyRecords) {
        self.keyring = keyring
        self.exchange = exchange
        self.key = key
        self.records = records
    }

    /// Six words to be typed on the device that approves. Secret: show them to the person, and send them nowhere.
    public var code: String { PronounceableWords.encode(exchange.code) }

    /// Takes the keys if the request was approved; false if not yet.
    /// - Throws: ``ContainerEncryption/Failure/requestNotFound``, ``ContainerEncryption/Failure/invalidAnswer``.
    public func accept() async throws -> Bool { try await keyring.acceptApproval(exchange, key, records) }

    /// Waits until the request was approved, and takes the keys. Ends early when its task is cancelled.
    public func wait() async throws {
        while try await !accept() { try await Task.sleep(for: CloudLimits.approvalPollingInterval) }
    }

    /// Takes the request back.
    public func withdraw() async throws { try await keyring.withdraw(exchange.requestID, records) }
}
