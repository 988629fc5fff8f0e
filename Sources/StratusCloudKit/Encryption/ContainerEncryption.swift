import Foundation
import StratusCloudCrypto
import StratusCloudModel

/// The keys of `encryptedValues` in one container, for the current user. Not Apple's: there the system keeps them.
///
/// Nothing is needed on a person's first device: the keys are made with the first encrypted value. Further devices get them
/// from one that has them, or with a recovery phrase. The server never sees a key or a plain value;
/// `Documentation/sdk/encryption.md` says how, and what it does see.
///
/// What fails on the way to the server is a `CKError`; the rest is a ``Failure``, or a ``DeviceKeyStoreError``.
public struct ContainerEncryption: Sendable {
    /// Where the keys are.
    public enum Status: Hashable, Sendable {
        /// Nobody has made any yet.
        case noKeys
        /// On other devices, not on this one: values can be neither read nor written.
        case locked
        /// On this device.
        case ready
    }

    /// What was wrong with a phrase, a code, or a device's request.
    public enum Failure: Error, Hashable, Sendable {
        /// There are no keys yet, so there is nothing to bring here.
        case noKeys
        /// Nobody has made a recovery phrase for the keys as they are now.
        case noRecoveryPhrase
        /// The phrase is another one than was made last.
        case wrongPhrase
        /// The code is not the one that the new device shows, or the request is not that device's.
        case wrongCode
        /// The request was withdrawn, or others have taken its place.
        case requestNotFound
        /// The answer to the request does not come from a device that knows the code.
        case invalidAnswer
    }

    private let source: ContainerSource
    private let options: ScopedOptions

    init(_ source: ContainerSource, _ options: ScopedOptions) {
        self.source = source
        self.options = options
    }

    // MARK: Recovery

    /// Where the keys are.
    public func status() async throws -> Status {
        let (client, records) = try await open()
        return switch try await client.connection.keyring.account(records) {
        case .none: .noKeys
        case .locked: .locked
        case .open: .ready
        }
    }

    /// Makes a recovery phrase, to be shown to the person once. It takes the place of an earlier one, and is kept nowhere.
    public func makeRecoveryPhrase() async throws -> RecoveryPhrase {
        let (client, records) = try await open()
        return try await client.connection.keyring.makeRecoveryPhrase(records)
    }

    /// Brings the keys to this device with the recovery phrase.
    /// - Throws: ``Failure/wrongPhrase``, ``Failure/noRecoveryPhrase``, ``Failure/noKeys``.
    public func recover(with phrase: RecoveryPhrase) async throws {
        let (client, records) = try await open()
        try await client.connection.keyring.recover(with: phrase, records)
    }

    // MARK: Approval by another device

    /// Asks the person's other devices for the keys. Show the code of what this gives; ``approve(_:code:)`` on another
    /// device wants it.
    /// - Parameter deviceName: tells the person which device asks. The server sees it. At most 255 bytes.
    public func requestApproval(deviceName: String) async throws -> PendingApproval {
        guard deviceName.utf8.count <= ApprovalRecord.nameLimit else {
            throw NSError.cloudKit(
                .invalidArguments, "A device's name may have \(ApprovalRecord.nameLimit) bytes at most.")
        }
        let (client, records) = try await open()
        let key = X25519PrivateKey(random: client.connection.keyring.random)
        let exchange = try await client.connection.keyring.requestApproval(deviceName, key, records)
        return PendingApproval(keyring: client.connection.keyring, exchange: exchange, key: key, records: records)
    }

    /// The devices that wait for approval, the one that has waited longest first.
    public func approvalRequests() async throws -> [ApprovalRequest] {
        let (client, records) = try await open()
        return try await client.connection.keyring.approvalRequests(records).map {
            ApprovalRequest(deviceName: $0.deviceName, id: $0.id)
        }
    }

    /// Gives the keys to a device that asked for them.
    /// - Parameter code: what that device shows, as the person typed it. Never take it from anywhere but the person: it is
    ///   what keeps the server from asking in a device's name.
    /// - Throws: ``Failure/wrongCode``, ``Failure/requestNotFound``.
    public func approve(_ request: ApprovalRequest, code: String) async throws {
        guard let code = PronounceableWords.decode(code, words: ApprovalExchange.codeWords) else {
            throw Failure.wrongCode
        }
        let (client, records) = try await open()
        try await client.connection.keyring.approve(request.id, code: code, records)
    }

    // MARK: New keys

    /// Gives a zone of the private database a new key, which encrypts what is saved from now on. Devices use it after a
    /// minute at most. What was saved before stays as it is, and readable, until ``reencrypt(_:)``.
    public func rotateKey(of zoneID: CKRecordZone.ID) async throws {
        let (client, records) = try await open()
        try client.requireOwn(zoneID)
        try await client.connection.keyring.rotate(zoneID.zoneName, records)
    }

    /// After the loss of a device: gives the account, and all zones that have keys, new ones, with which that device can read
    /// nothing that is saved from now on. Other devices must be approved again, and a new recovery phrase be made.
    public func replaceKeys() async throws {
        let (client, records) = try await open()
        try await client.connection.keyring.replaceAccountKey(records)
        // A zone that this does not come to gets its new key with the next value that is saved there.
        for zoneName in try await client.encryptedZones(records) {
            do {
                _ = try await client.connection.keyring.keysForWriting(in: zoneName, records)
            } catch let error as CKError where error.code == .limitExceeded {
                // It can have no further key, so nothing more is encrypted there for anybody to read.
            }
        }
        for zoneName in try await client.encryptedZones(records, for: .share) {
            try await client.settleShares(of: CKRecordZone.ID(zoneName: zoneName))
        }
    }

    /// Encrypts anew what an earlier key of a custom zone of the private database encrypted.
    ///
    /// Records are saved by it, so other devices hear of them as changed. Those with a value that does not open stay as they
    /// are.
    /// - Returns: how many records were saved.
    @discardableResult
    public func reencrypt(_ zoneID: CKRecordZone.ID) async throws -> Int {
        let (client, records) = try await open()
        try client.requireOwn(zoneID)
        return try await client.reencrypt(zoneID, records)
    }

    /// Gives up all keys, when no device and no phrase is left to read what they encrypted.
    ///
    /// All zones with encrypted values are deleted; other devices hear of it as
    /// `CKDatabase.DatabaseChange.Deletion.Reason.encryptedDataReset`, make the zones again and send what they have. The
    /// default zone cannot be deleted: its encrypted values stay and cannot be read any more. Other devices must be
    /// approved again. Doing it again after a failure goes on where it stopped.
    /// - Returns: the zones that were deleted.
    @discardableResult
    public func resetEncryptedData() async throws -> [CKRecordZone.ID] {
        let (client, records) = try await open()
        return try await client.resetEncryptedData(records)
    }

    /// - Throws: `notAuthenticated` if nobody is signed in.
    private func open() async throws -> (DatabaseClient, KeyRecords) {
        let client = DatabaseClient(
            connection: source.connection, scope: .private, options: options.callOptions(.userInitiated))
        return (client, try client.keyRecords(of: try await client.writersNames()))
    }
}

extension CKContainer {
    /// The keys of `encryptedValues`.
    public var encryption: ContainerEncryption { ContainerEncryption(source, options) }
}

/// A device that asked for the keys.
public struct ApprovalRequest: Hashable, Sendable {
    /// What it calls itself. Only the code proves that it is that device.
    public let deviceName: String
    let id: [UInt8]
}
