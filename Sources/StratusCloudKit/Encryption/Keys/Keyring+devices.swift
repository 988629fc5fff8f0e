import Foundation
import StratusCloudCrypto

// How keys come to further devices.
extension Keyring {
    /// Makes a recovery phrase, which takes the place of an earlier one.
    func makeRecoveryPhrase(_ records: KeyRecords) async throws -> RecoveryPhrase {
        let keys = try await openAccount(records)
        let phrase = RecoveryPhrase(random.bytes(RecoveryPhrase.secretLength))
        let recovery = phrase.seal(keys.current, records.place, random: random)
        try await records.update(KeyRecords.Name.account) { bytes in
            guard let bytes, case var envelope = try AccountEnvelope(record: bytes),
                envelope.keyID == keys.current.id
            else { throw NSError.keysAreElsewhere }
            envelope.recovery = recovery
            return envelope.bytes
        }
        return phrase
    }

    func recover(with phrase: RecoveryPhrase, _ records: KeyRecords) async throws {
        switch try await account(records) {
        case .none: throw ContainerEncryption.Failure.noKeys
        case .open: return
        case .locked(let envelope):
            guard envelope.recovery != nil else { throw ContainerEncryption.Failure.noRecoveryPhrase }
            guard let key = phrase.open(envelope, records.place) else {
                throw ContainerEncryption.Failure.wrongPhrase
            }
            try await keep(key, records.place)
        }
    }

    // MARK: Approval

    func requestApproval(
        _ deviceName: String, _ own: X25519PrivateKey, _ records: KeyRecords
    ) async throws -> ApprovalExchange {
        let exchange = ApprovalExchange(
            place: records.place, requestID: random.bytes(ApprovalRecord.idLength),
            code: random.bytes(ApprovalExchange.codeLength))
        let request = ApprovalRecord(
            id: exchange.requestID, deviceName: deviceName, publicKey: own.publicKey,
            proof: exchange.proof(publicKey: own.publicKey, deviceName: deviceName))
        try await records.update(KeyRecords.Name.approvals) { bytes in
            var envelope = try ApprovalEnvelope(record: bytes)
            envelope.add(request)
            return envelope.bytes
        }
        return exchange
    }

    /// The requests that nobody has answered yet.
    func approvalRequests(_ records: KeyRecords) async throws -> [ApprovalRecord] {
        let stored = try await records.read([KeyRecords.Name.approvals])[KeyRecords.Name.approvals]
        return try ApprovalEnvelope(record: stored?.bytes).requests.filter { $0.answer == nil }
    }

    func approve(_ id: [UInt8], code: [UInt8], _ records: KeyRecords) async throws {
        guard case .open(let keys) = try await account(records) else { throw NSError.keysAreElsewhere }
        let exchange = ApprovalExchange(place: records.place, requestID: id, code: code)
        let random = random
        try await records.update(KeyRecords.Name.approvals) { bytes in
            var envelope = try ApprovalEnvelope(record: bytes)
            guard let index = envelope.requests.firstIndex(where: { $0.id == id }) else {
                throw ContainerEncryption.Failure.requestNotFound
            }
            let request = envelope.requests[index]
            guard request.isProven(by: exchange) else { throw ContainerEncryption.Failure.wrongCode }
            do throws(CryptoError) {
                envelope.requests[index].answer = try exchange.answer(
                    keys.current, to: request.publicKey, random: random)
            } catch {
                throw ContainerEncryption.Failure.wrongCode
            }
            return envelope.bytes
        }
    }

    /// Takes the answer to a request, if there is one.
    func acceptApproval(
        _ exchange: ApprovalExchange, _ own: X25519PrivateKey, _ records: KeyRecords
    ) async throws -> Bool {
        let stored = try await records.read([KeyRecords.Name.approvals, KeyRecords.Name.account])
        let envelope = try ApprovalEnvelope(record: stored[KeyRecords.Name.approvals]?.bytes)
        guard let request = envelope.requests.first(where: { $0.id == exchange.requestID }) else {
            throw ContainerEncryption.Failure.requestNotFound
        }
        guard let answer = request.answer else { return false }
        guard let account = stored[KeyRecords.Name.account],
            let key = exchange.open(answer, with: own, keyID: try AccountEnvelope(record: account.bytes).keyID)
        else { throw ContainerEncryption.Failure.invalidAnswer }
        try await keep(key, exchange.place)
        try await withdraw(exchange.requestID, records)
        return true
    }

    /// Takes a request away.
    func withdraw(_ id: [UInt8], _ records: KeyRecords) async throws {
        try await records.update(KeyRecords.Name.approvals) { bytes in
            var envelope = try ApprovalEnvelope(record: bytes)
            guard envelope.requests.contains(where: { $0.id == id }) else { return nil }
            envelope.requests.removeAll { $0.id == id }
            return envelope.bytes
        }
    }
}

extension ApprovalEnvelope {
    fileprivate init(record bytes: [UInt8]?) throws {
        guard let bytes else {
            self.init()
            return
        }
        do throws(FrameReader.Malformed) {
            try self.init(bytes)
        } catch {
            throw NSError.malformedKeys(KeyRecords.Name.approvals)
        }
    }
}
