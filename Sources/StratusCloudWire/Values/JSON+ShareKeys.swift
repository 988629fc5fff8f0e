import StratusCloudModel

// What is kept with shares for encrypted values: bytes, as base64.

extension RequestDecoder {
    /// `records/shares`.
    public func shares(_ body: [UInt8]) throws(CloudError) -> SharesRequest {
        let body = try open(body)
        var names: [String] = []
        for element in try bounded(try body.required("recordNames"), "recordNames") {
            names.append(try element.string())
        }
        return SharesRequest(zoneID: try body.required("zoneID").zoneID(), recordNames: names)
    }

    /// `records/shareKeys`.
    public func shareKeysUpdate(_ body: [UInt8]) throws(CloudError) -> ShareKeysUpdate {
        let body = try open(body)
        let change: ShareKeysUpdate.Change
        if let proof = body.member("proof") {
            change = .proof(try proof.base64())
        } else {
            var handovers: [ShareKeysUpdate.Handover] = []
            if let list = body.member("handovers") {
                let elements = try list.elements()
                guard list.count <= ModelLimits.keyMembersPerShare else {
                    throw list.refusal("has \(list.count) members; the limit is \(ModelLimits.keyMembersPerShare)")
                }
                for element in elements {
                    handovers.append(
                        ShareKeysUpdate.Handover(
                            participantID: try element.required("participantId").string(),
                            bytes: try element.required("handover").base64()))
                }
            }
            change = .keys(
                envelope: try body.required("keys").base64(), over: try body.required("keyTag").string(),
                handovers: handovers)
        }
        return ShareKeysUpdate(
            zoneID: try body.required("zoneID").zoneID(), shareName: try body.required("shareName").string(),
            change: change)
    }

    /// With which keys values of a request were encrypted.
    func encryptionClaims(_ body: JSONReader) throws(CloudError) -> [EncryptionClaim] {
        guard let list = body.member("encryptedFor") else { return [] }
        var claims: [EncryptionClaim] = []
        for element in try bounded(list, "encryptedFor") {
            var names: [String] = []
            for name in try bounded(try element.required("recordNames"), "recordNames") {
                names.append(try name.string())
            }
            claims.append(
                EncryptionClaim(
                    recordNames: names, shareName: try element.text("shareName"),
                    keyTag: try element.text("keyTag")))
        }
        return claims
    }
}

extension RequestEncoder {
    /// `records/shares`.
    public func shares(_ request: SharesRequest) throws(CloudError) -> [UInt8] {
        try body { (writer) throws(CloudError) in
            writer.optional("zoneID", request.zoneID)
            writer.optional("recordNames", request.recordNames)
        }
    }

    /// `records/shareKeys`.
    public func shareKeysUpdate(_ update: ShareKeysUpdate) throws(CloudError) -> [UInt8] {
        try body { (writer) throws(CloudError) in
            writer.optional("zoneID", update.zoneID)
            writer.optional("shareName", update.shareName)
            switch update.change {
            case .proof(let proof): writer.optional("proof", base64: proof)
            case .keys(let envelope, let tag, let handovers):
                writer.optional("keys", base64: envelope)
                writer.optional("keyTag", tag)
                writer.key("handovers")
                writer.beginArray()
                for handover in handovers {
                    writer.beginObject()
                    writer.optional("participantId", handover.participantID)
                    writer.optional("handover", base64: handover.bytes)
                    writer.endObject()
                }
                writer.endArray()
            }
        }
    }
}

extension ResponseEncoder {
    /// The answer to `records/shares` and `records/shareKeys`.
    public func shares(_ answer: SharesAnswer) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("shares")
        writer.beginArray()
        for share in answer.shares { writer.shareKeys(share) }
        writer.endArray()
        writer.key("records")
        writer.beginArray()
        for (name, shareName) in answer.shareNames.sorted(by: { $0.key < $1.key }) {
            writer.beginObject()
            writer.optional("recordName", name)
            writer.optional("shareName", shareName)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }
}

extension ResponseDecoder {
    /// The answer to `records/shares` and `records/shareKeys`.
    public func shares(_ body: [UInt8]) throws(CloudError) -> SharesAnswer {
        try read(body) { (body) throws(CloudError) in
            var answer = SharesAnswer(
                shares: try read("shares", of: body) { (item) throws(CloudError) in try item.shareKeys() })
            for element in try body.required("records").elements() {
                answer.shareNames[try element.required("recordName").string()] =
                    try element.required("shareName").string()
            }
            return answer
        }
    }
}

extension JSONWriter {
    mutating func encryptionClaims(_ claims: [EncryptionClaim]) {
        guard !claims.isEmpty else { return }
        key("encryptedFor")
        beginArray()
        for claim in claims {
            beginObject()
            optional("recordNames", claim.recordNames)
            optional("shareName", claim.shareName)
            optional("keyTag", claim.keyTag)
            endObject()
        }
        endArray()
    }

    fileprivate mutating func shareKeys(_ share: ShareKeys) {
        beginObject()
        optional("shareName", share.shareName)
        optional("keyTag", share.keyTag)
        optional("state", share.state.rawValue)
        optional("keys", base64: share.envelope)
        key("members")
        beginArray()
        for member in share.members {
            beginObject()
            optional("participantId", member.participantID)
            optional("userRecordName", member.userRecordName)
            optional(WireNames.oneTimeShortGUID, member.oneTimeShortGUID)
            optional("proof", base64: member.proof)
            optional("handover", base64: member.handover)
            endObject()
        }
        endArray()
        endObject()
    }
}

extension JSONReader {
    fileprivate func shareKeys() throws(CloudError) -> ShareKeys {
        let word = try required("state")
        guard let state = ShareKeys.State(rawValue: try word.string()) else {
            throw word.refusal("must be CURRENT, STALE or REVOKED")
        }
        var members: [ShareKeyMember] = []
        for element in try required("members").elements() {
            members.append(
                ShareKeyMember(
                    participantID: try element.required("participantId").string(),
                    userRecordName: try element.text("userRecordName"),
                    oneTimeShortGUID: try element.text(WireNames.oneTimeShortGUID),
                    proof: try element.bytes("proof"), handover: try element.bytes("handover")))
        }
        return ShareKeys(
            shareName: try required("shareName").string(), keyTag: try required("keyTag").string(), state: state,
            envelope: try bytes("keys"), members: members)
    }
}
