import StratusCloudModel
import StratusCloudStore

extension CloudService {
    /// `records/shares`: which shares records belong to, as far as the caller sees them, and what is kept with these for
    /// encrypted values. Who reads it: the owner of the zone, and who accepted the share.
    /// - Throws: `badRequest` for too many names and in the public database, `zoneNotFound`, the errors of ``DatabaseAddress``.
    public func shares(
        _ request: SharesRequest, in scope: DatabaseScope, as caller: Caller
    ) async throws(CloudError) -> SharesAnswer {
        let limit = operationLimit(for: caller)
        guard request.recordNames.count <= limit else {
            throw CloudError(
                .badRequest,
                "Your request contains \(request.recordNames.count) records which is more than the maximum number of "
                    + "records in a single request (\(limit))")
        }
        let address = try Self.keyAddress(scope, request.zoneID, caller)
        return try await reading(address.partition) { transaction in
            guard let view = try address.view(in: transaction) else {
                throw try address.zoneNotFound(in: transaction)
            }
            return try ShareKeysReading(view: view, viewer: caller.authorRecordName, transaction: transaction)
                .answer(request.recordNames)
        }
    }

    /// `records/shareKeys`: writes what is kept with a share for encrypted values: the owner the keys, a participant who
    /// accepted their proof.
    /// - Returns: what is kept now, as the caller sees it.
    /// - Throws: `badRequest` for more bytes than `ModelLimits` allows, `notFound` for a share that the caller does not see or
    ///   a participant who is none, `accessDenied` for what others write, `conflict` if the keys are others than the caller
    ///   knows.
    public func updateShareKeys(
        _ update: ShareKeysUpdate, in scope: DatabaseScope, as caller: Caller
    ) async throws(CloudError) -> SharesAnswer {
        try update.checkSizes()
        let address = try Self.keyAddress(scope, update.zoneID, caller)
        return try await writing(address.partition) { transaction in
            guard let view = try address.view(in: transaction) else {
                throw try address.zoneNotFound(in: transaction)
            }
            let writing = ShareKeysWriting(view: view, caller: caller.authorRecordName, transaction: transaction)
            let whole = try writing.share(named: update.shareName)
            switch update.change {
            case .keys(let envelope, let tag, let handovers): try writing.write(envelope, over: tag, handovers, whole)
            case .proof(let proof): try writing.write(proof, whole)
            }
            return try ShareKeysReading(view: view, viewer: caller.authorRecordName, transaction: transaction)
                .answer([update.shareName])
        }
    }

    private static func keyAddress(
        _ scope: DatabaseScope, _ zoneID: ZoneID, _ caller: Caller
    ) throws(CloudError) -> DatabaseAddress {
        guard scope != .public else { throw CloudError(.badRequest, "nothing is shared in the public database") }
        return try DatabaseAddress(scope, zoneID, caller)
    }
}

/// Shows what is kept with shares to a caller.
struct ShareKeysReading {
    let view: ZoneView
    let viewer: String
    let transaction: any ReadTransaction

    func answer(_ names: [String]) throws -> SharesAnswer {
        guard view.header.sharing.isAnything else { return SharesAnswer() }
        var numbers: [ShareNumber: [String]] = [:]
        if let whole = view.header.sharing.whole {
            if isVisible(whole) { numbers[whole] = names }
        } else {
            for (name, member) in zip(names, try transaction.shareMembers(names, in: view.number)) {
                guard let member, isVisible(member.share) else { continue }
                numbers[member.share, default: []].append(name)
            }
        }
        var answer = SharesAnswer()
        for number in numbers.keys.sorted() {
            guard let whole = try WholeShare.read(number, zone: view.number, in: transaction), whole.share.isLive
            else { continue }
            for name in numbers[number] ?? [] { answer.shareNames[name] = whole.share.recordName }
            answer.shares.append(try keys(of: whole))
        }
        return answer
    }

    private func isVisible(_ share: ShareNumber) -> Bool {
        guard let access = view.access else { return true }
        return Authorization.permits(.see, access.grants[share])
    }

    private func keys(of whole: WholeShare) throws -> ShareKeys {
        let number = whole.share.number
        let stored = try StoredShareKeys.read(number, zone: view.number, in: transaction)
        let shown = view.access == nil ? whole.participants : whole.participant(of: viewer).map { [$0] } ?? []
        let entries = try transaction.get(
            shown.map { Keyspace.memberKeys(zone: view.number, number, $0.number) })
        let members = try zip(shown, entries).compactMap { participant, bytes -> ShareKeyMember? in
            let link = view.access == nil ? participant.openGUID : nil
            let entry = try bytes.map { try StoredMemberKeys(stored: $0) }
            guard entry != nil || link != nil || view.access != nil else { return nil }
            return ShareKeyMember(
                participantID: participant.participantID, userRecordName: participant.user?.userRecordName,
                oneTimeShortGUID: link, proof: entry?.proof, handover: entry?.handover)
        }
        return ShareKeys(
            shareName: whole.share.recordName, keyTag: stored.tag(of: number, zone: view.number), state: stored.state,
            envelope: stored.envelope, members: members)
    }
}

/// Writes what is kept with shares.
struct ShareKeysWriting {
    let view: ZoneView
    let caller: String
    let transaction: any WriteTransaction

    /// - Throws: `notFound` for a share that the caller does not see.
    func share(named name: String) throws -> WholeShare {
        guard let whole = try WholeShare.named(name, zone: view.header, in: transaction),
            view.access.map({ Authorization.permits(.see, $0.grants[whole.share.number]) }) ?? true
        else { throw CloudError(.notFound, "Record not found") }
        return whole
    }

    /// By the owner.
    func write(
        _ envelope: [UInt8], over tag: String, _ handovers: [ShareKeysUpdate.Handover], _ whole: WholeShare
    ) throws {
        guard view.access == nil else { throw CloudError(.accessDenied, "WRITE operation not permitted") }
        let number = whole.share.number
        var stored = try StoredShareKeys.read(number, zone: view.number, in: transaction)
        guard tag == stored.tag(of: number, zone: view.number) else {
            throw CloudError(.conflict, "the keys of share '\(whole.share.recordName)' have changed")
        }
        let participants = Dictionary(whole.participants.map { ($0.participantID, $0) }) { first, _ in first }
        for handover in handovers {
            guard let participant = participants[handover.participantID] else {
                throw CloudError(
                    .notFound, "the share has no participant '\(handover.participantID.prefix(64))'")
            }
            try change(participant, whole) { $0.handover = handover.bytes }
        }
        stored.version += 1
        stored.state = .current
        stored.envelope = envelope
        transaction.set(Keyspace.shareKeys(zone: view.number, number), stored)
    }

    /// By a participant.
    func write(_ proof: [UInt8], _ whole: WholeShare) throws {
        guard view.access != nil, let own = whole.participant(of: caller) else {
            throw CloudError(.accessDenied, "only participants who have accepted a share can prove a key to its owner")
        }
        try change(own, whole) { $0.proof = proof }
    }

    private func change(
        _ participant: StoredParticipant, _ whole: WholeShare, _ body: (inout StoredMemberKeys) -> Void
    ) throws {
        let key = Keyspace.memberKeys(zone: view.number, whole.share.number, participant.number)
        let known: StoredMemberKeys? = try transaction.value(at: key)
        if known == nil {
            let range = Keyspace.memberKeys(zone: view.number, whole.share.number)
            let count = try transaction.entries(in: range, limit: ModelLimits.keyMembersPerShare).count
            guard count < ModelLimits.keyMembersPerShare else {
                throw CloudError(
                    .badRequest,
                    "share '\(whole.share.recordName)' keeps keys for \(ModelLimits.keyMembersPerShare) participants, "
                        + "which is the maximum", extensionCode: .tooManyParticipants)
            }
        }
        var entry = known ?? StoredMemberKeys()
        body(&entry)
        transaction.set(key, entry)
    }
}

extension ShareKeysUpdate {
    fileprivate func checkSizes() throws(CloudError) {
        switch change {
        case .keys(let envelope, _, let handovers):
            try Self.check(envelope, "keys", ModelLimits.shareEnvelopeSize)
            guard handovers.count <= ModelLimits.keyMembersPerShare else {
                throw CloudError(
                    .badRequest,
                    "the request has \(handovers.count) handovers, which is more than the maximum of "
                        + "\(ModelLimits.keyMembersPerShare)")
            }
            for handover in handovers { try Self.check(handover.bytes, "handover", ModelLimits.shareKeySize) }
        case .proof(let proof): try Self.check(proof, "proof", ModelLimits.shareKeySize)
        }
    }

    private static func check(_ bytes: [UInt8], _ name: String, _ limit: Int) throws(CloudError) {
        guard !bytes.isEmpty, bytes.count <= limit else {
            throw CloudError(.badRequest, "'\(name)' has \(bytes.count) bytes; it must have 1 to \(limit)")
        }
    }
}
