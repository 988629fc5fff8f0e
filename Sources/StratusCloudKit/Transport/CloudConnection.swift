import Foundation
import StratusCloudModel
import StratusWorkers

/// A container as one person uses it: a transport, and what is known of the person.
package final class CloudConnection: Sendable {
    let containerIdentifier: String
    let transport: any CloudTransport
    /// The keys of encrypted values.
    let keyring: Keyring
    /// Where long-lived operations are kept; nil where they end with the process.
    let operations: OperationStore?
    /// Where its notifications come from.
    let pushes: PushHub
    private let userName = Lock<String?>(nil)
    private let encryptedFields = Lock<Set<FieldAddress>>([])
    private let pauses = Lock(Pauses())

    init(
        containerIdentifier: String, transport: any CloudTransport, keyring: Keyring,
        operations: OperationStore? = nil
    ) {
        self.operations = operations
        pushes = PushHub(transport: transport)
        self.containerIdentifier = containerIdentifier
        self.transport = transport
        self.keyring = keyring
    }

    /// A connection whose keys and long-lived operations lie in stores.
    package convenience init(
        containerIdentifier: String, transport: any CloudTransport, keyStore: any DeviceKeyStore,
        operations: OperationStore
    ) {
        self.init(
            containerIdentifier: containerIdentifier, transport: transport, keyring: Keyring(store: keyStore),
            operations: operations)
    }

    /// Sends a request, again where that helps.
    func send(
        _ call: CloudCall, in scope: DatabaseScope, _ options: CallOptions
    ) async throws(CloudTransportError) -> CloudAnswer {
        let request = CloudRequest(call, in: scope, timeout: options.requestDuration)
        let start = transport.uptime
        var attempt = 0
        while true {
            do throws(CloudTransportError) {
                return try await sendOnce(request)
            } catch {
                if case .refused(let refusal, _) = error, refusal.code == .authenticationRequired { forgetUser() }
                attempt += 1
                let elapsed = (transport.uptime - start) / .seconds(1)
                let wait = options.retries.wait(
                    after: error, isMutating: call.isMutating, attempt: attempt, elapsed: elapsed,
                    chance: transport.chance())
                guard let wait else { throw error }
                do { try await transport.pause(for: .seconds(wait)) } catch { throw .cancelled }
            }
        }
    }

    /// Sends a request, unless the server asked to wait with such.
    private func sendOnce(
        _ request: CloudRequest
    ) async throws(CloudTransportError) -> CloudAnswer {
        if request.scope != .public, transport.accountStatus == .temporarilyUnavailable {
            throw .stated(
                .accountTemporarilyUnavailable, "The account is temporarily unavailable.", retryAfter: nil)
        }
        let kind = Pauses.Kind(request)
        if let refusal = pauses.withLock({ $0.refusal(of: kind, at: transport.uptime) }) { throw refusal }
        do throws(CloudTransportError) {
            return try await transport.send(request)
        } catch {
            pauses.withLock { $0.note(error, of: kind, at: transport.uptime) }
            throw error
        }
    }

    /// Asks anew who is signed in, the next time that it matters.
    func forgetUser() { userName.withLock { $0 = nil } }

    /// The user record name of who is signed in; nil if nobody is.
    func currentUserName(_ options: CallOptions) async throws(CloudTransportError) -> String? {
        guard transport.isSignedIn else { return nil }
        if let name = userName.withLock({ $0 }) { return name }
        let name: String?
        do throws(CloudTransportError) {
            name = try await send(.currentUser, in: .public, options).users().first?.userRecordName
        } catch .refused(let error, _) where error.code == .authenticationRequired {
            return nil
        }
        userName.withLock { $0 = name }
        return name
    }
}

/// A field of a record type.
private struct FieldAddress: Hashable {
    var recordType: String
    var field: String
}

// Which fields were seen to be encrypted.
extension CloudConnection {
    func noteEncryptedFields(of records: [Record]) {
        note(
            records.lazy.flatMap { record in
                record.fields.lazy.filter(\.field.isEncrypted).map {
                    FieldAddress(recordType: record.recordType, field: $0.name)
                }
            })
    }

    func noteEncryptedFields(of saves: [PendingSave]) {
        note(
            saves.lazy.flatMap { save in
                save.fields.lazy.filter(\.isEncrypted).map {
                    FieldAddress(recordType: save.record.recordType, field: $0.key)
                }
            })
    }

    private func note(_ fields: some Sequence<FieldAddress>) {
        let new = Set(fields)
        encryptedFields.withLock { $0.formUnion(new) }
    }

    func isEncrypted(_ field: String, of recordType: String) -> Bool {
        let address = FieldAddress(recordType: recordType, field: field)
        return encryptedFields.withLock { $0.contains(address) }
    }
}

extension CloudAnswer {
    /// The answer of another kind than was asked for: a fault of the transport.
    private static var unexpected: CloudTransportError {
        .refused(CloudError(.internalError, "The transport gave an answer to another question."), requestUUID: nil)
    }

    func records() throws(CloudTransportError) -> [RecordResult] {
        guard case .records(let value) = self else { throw Self.unexpected }
        return value
    }

    func recordPage() throws(CloudTransportError) -> QueryRecordsPage {
        guard case .recordPage(let value) = self else { throw Self.unexpected }
        return value
    }

    func zoneChanges() throws(CloudTransportError) -> [ZoneChangesResult] {
        guard case .zoneChanges(let value) = self else { throw Self.unexpected }
        return value
    }

    func databaseChanges() throws(CloudTransportError) -> DatabaseChangesPage {
        guard case .databaseChanges(let value) = self else { throw Self.unexpected }
        return value
    }

    func publicChanges() throws(CloudTransportError) -> ZoneChangesPage {
        guard case .publicChanges(let value) = self else { throw Self.unexpected }
        return value
    }

    func zones() throws(CloudTransportError) -> [ZoneResult] {
        guard case .zones(let value) = self else { throw Self.unexpected }
        return value
    }

    func subscriptions() throws(CloudTransportError) -> [SubscriptionResult] {
        guard case .subscriptions(let value) = self else { throw Self.unexpected }
        return value
    }

    func users() throws(CloudTransportError) -> [UserIdentity] {
        guard case .users(let value) = self else { throw Self.unexpected }
        return value
    }

    func publications() throws(CloudTransportError) -> [PublishedFile] {
        guard case .publications(let value) = self else { throw Self.unexpected }
        return value
    }

    func webAuthToken() throws(CloudTransportError) -> String {
        guard case .webAuthToken(let value) = self else { throw Self.unexpected }
        return value
    }

    func shareLinks() throws(CloudTransportError) -> [ShareLinkResult] {
        guard case .shareLinks(let value) = self else { throw Self.unexpected }
        return value
    }

    func shares() throws(CloudTransportError) -> SharesAnswer {
        guard case .shares(let value) = self else { throw Self.unexpected }
        return value
    }

    func uploadPlaces() throws(CloudTransportError) -> [UploadAssetsResult] {
        guard case .uploadPlaces(let value) = self else { throw Self.unexpected }
        return value
    }
}
